// 802.11 in monitor mode: IEEE 802.11-2020, 9.3 (frames) and 9.4 (elements). The header itself is read by the walk
// (`Headers/Wireless.swift`); its addresses prove who is on which access point without any key.

public enum IEEE80211 {
  /// What the addresses of a data frame prove: who is a station of which BSS (9.3.2.1).
  static func observeAddresses(_ frame: borrowing FrameSummary, _ out: inout Observations) {
    guard frame.wireless.type == 2, frame.flags.isDisjoint(with: .badFCS) else { return }
    let signal = frame.wireless.signal == 0 ? nil : frame.wireless.signal
    switch (frame.wireless.toDS, frame.wireless.fromDS) {
    case (true, false): out.note(frame.source, .isStation(of: frame.wireless.bssid, signal: signal), "address 2", kind: .measured)
    case (false, true) where frame.destination.isStation:
      out.note(frame.destination, .isStation(of: frame.wireless.bssid, signal: nil), "address 1", kind: .measured)
    default: break
    }
  }
}
