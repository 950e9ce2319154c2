// How keys of fixed size are scattered over tables.

/// Multiply and fold: 64 well mixed bits for one multiplication.
@inlinable @inline(__always)
public func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let product = (a ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: b ^ 0xd1b5_4a32_d192_ed03)
  return product.high ^ product.low
}

// Dictionaries ask a key for its hash under a seed of their own. The standard library's hasher is made for keys of any length and takes a
// hundred instructions for these few bytes, which was a third of the time of a snapshot; this is ten. The seed is the place of the
// dictionary's memory: nobody on the wire can know it and choose addresses that collide.

extension MACAddress {
  @inlinable public func _rawHashValue(seed: Int) -> Int {
    Int(truncatingIfNeeded: mix(bits, UInt64(truncatingIfNeeded: seed)))
  }
}

extension IPv4Address {
  @inlinable public func _rawHashValue(seed: Int) -> Int {
    Int(truncatingIfNeeded: mix(UInt64(bits), UInt64(truncatingIfNeeded: seed)))
  }
}

extension IPAddress {
  @inlinable public func _rawHashValue(seed: Int) -> Int {
    let seed = UInt64(truncatingIfNeeded: seed)
    return Int(truncatingIfNeeded: mix(low ^ mix(high, seed), seed))
  }
}

extension Subject {
  @inlinable public func _rawHashValue(seed: Int) -> Int {
    switch self {
    case .station(let mac): mac._rawHashValue(seed: seed)
    case .address(let address): address._rawHashValue(seed: seed)
    }
  }
}
