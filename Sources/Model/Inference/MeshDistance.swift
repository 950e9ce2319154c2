import Wire

/// How far each 1905 node is from the way out, in nodes: whoever is one nearer is its parent.
struct MeshDistance {
  private(set) var steps: [MACAddress: Int] = [:]

  init(_ picture: Picture, boxes: Boxes, gateways: Set<MACAddress>) {
    var neighbours: [MACAddress: Set<MACAddress>] = [:]
    var controllers = Set<MACAddress>()
    picture.each { station, item in
      guard item.basis == "ieee1905" else { return }
      let own = boxes.box(of: station.mac)
      switch item.claim {
      case .neighbours(let other, _, .some, _):
        let box = boxes.box(of: other)
        guard box != own else { return }
        neighbours[own, default: []].insert(box)
        neighbours[box, default: []].insert(own)
      case .offers(let text) where text.lowercasedASCII.mentions("controller"): controllers.insert(own)
      default: break
      }
    }
    // Where the gateway itself is no node, the mesh hangs on its controller.
    let roots = gateways.filter { neighbours[$0] != nil }
    var edge = (roots.isEmpty ? controllers : roots).sorted()
    for root in edge { steps[root] = 0 }
    var distance = 0
    while !edge.isEmpty, distance < 16 {
      distance += 1
      var next: [MACAddress] = []
      for node in edge {
        for other in (neighbours[node] ?? []).sorted() where steps[other] == nil {
          steps[other] = distance
          next.append(other)
        }
      }
      edge = next
    }
  }

  func isParent(_ other: MACAddress, of node: MACAddress) -> Bool {
    guard let far = steps[node], let near = steps[other] else { return false }
    return near == far - 1
  }
}
