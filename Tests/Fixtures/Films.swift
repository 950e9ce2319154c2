package import Scenarios
import Wire

/// What one captured frame of a film says.
package func decode(_ frame: CapturedFrame, number: Int = 1) -> Decoded {
  decode(frame.bytes, link: frame.link, wireLength: frame.wireLength, number: number)
}
