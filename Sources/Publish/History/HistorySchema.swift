/// The tables of the history, and the way from each older version to the newest.
///
///     device    one row for each station that was a device, for ever; `box` names the device whose part it is now
///     fact      what was so from `first` until `ended` (NULL: still): addresses, names, attachments, media, presence, findings …
///     usage     bytes per device in tiers: 0 minute, 1 hour, 2 day, 3 month; device 0 is the whole network
///     recent    samples of the last half hour, not yet in the tiers: a total is the sum of both
///     sample    where they lie: row by row from slot 1 on in each round
///     folded    one row: the round that is being written, and the slot up to which it is in the tiers
///     session   when somebody listened, and where: between two sessions silence means nothing
///     mark      jumps of the clock
///
/// Times of facts are milliseconds since 1970, starts of tiers seconds; days and months begin at local midnight. Addresses of stations are
/// numbers of 48 bits. Text from the wire is a blob of its exact bytes: two names that merely look alike stay two.
///
/// Samples go to `sample` first because a commit costs whole pages: one row each beside the one before, once a minute, instead of four rows
/// in four places. Every half an hour, near the cap every ten minutes, they are folded into the tiers. The rows stay, and the next round
/// writes over them: to free pages and to take them again touches more of them than the samples fill.
enum HistorySchema {
  static let version = 2
  /// Rows are numbered upwards from 1. A number above this one we did not write: the next is found below it, so that none ever overflows.
  static let lastNumber = 1 << 53

  /// Statement lists by the version they lead to: `migrations[0]` makes version 1.
  static let migrations: [[StaticString]] = [
    [
      """
      CREATE TABLE device(
        id INTEGER PRIMARY KEY,
        mac INTEGER NOT NULL UNIQUE,
        box INTEGER,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        pause INTEGER NOT NULL DEFAULT 0,
        given TEXT,
        vendor TEXT
      ) STRICT
      """,
      """
      CREATE TABLE fact(
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL,
        kind TEXT NOT NULL,
        value BLOB NOT NULL,
        detail TEXT,
        first INTEGER NOT NULL,
        ended INTEGER
      ) STRICT
      """,
      "CREATE INDEX factByDevice ON fact(device, first)",
      "CREATE INDEX factOpen ON fact(device) WHERE ended IS NULL",
      """
      CREATE TABLE usage(
        tier INTEGER NOT NULL,
        start INTEGER NOT NULL,
        device INTEGER NOT NULL,
        sentFrames INTEGER NOT NULL,
        sentBytes INTEGER NOT NULL,
        receivedFrames INTEGER NOT NULL,
        receivedBytes INTEGER NOT NULL,
        internetSent INTEGER NOT NULL,
        internetReceived INTEGER NOT NULL,
        localSent INTEGER NOT NULL,
        localReceived INTEGER NOT NULL,
        operatorSent INTEGER NOT NULL,
        operatorReceived INTEGER NOT NULL,
        peak INTEGER NOT NULL,
        lowerBound INTEGER NOT NULL,
        PRIMARY KEY(tier, start, device)
      ) STRICT, WITHOUT ROWID
      """,
      """
      CREATE TABLE recent(
        id INTEGER PRIMARY KEY,
        start INTEGER NOT NULL,
        device INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        sentFrames INTEGER NOT NULL,
        sentBytes INTEGER NOT NULL,
        receivedFrames INTEGER NOT NULL,
        receivedBytes INTEGER NOT NULL,
        internetSent INTEGER NOT NULL,
        internetReceived INTEGER NOT NULL,
        localSent INTEGER NOT NULL,
        localReceived INTEGER NOT NULL,
        operatorSent INTEGER NOT NULL,
        operatorReceived INTEGER NOT NULL,
        peak INTEGER NOT NULL,
        lowerBound INTEGER NOT NULL
      ) STRICT
      """,
      "CREATE TABLE session(id INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, source BLOB NOT NULL, vantage TEXT) STRICT",
      "CREATE TABLE mark(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL) STRICT",
      // Since when each tier is complete; no row: since the beginning.
      "CREATE TABLE complete(tier INTEGER PRIMARY KEY, since INTEGER NOT NULL) STRICT",
    ],
    [
      "ALTER TABLE recent RENAME TO sample",
      "ALTER TABLE sample RENAME COLUMN id TO slot",
      "ALTER TABLE sample ADD COLUMN round INTEGER NOT NULL DEFAULT 1",
      "CREATE TABLE folded(only INTEGER PRIMARY KEY CHECK(only = 1), round INTEGER NOT NULL, slot INTEGER NOT NULL) STRICT",
      "INSERT INTO folded VALUES(1, 1, 0)",
      """
      CREATE VIEW recent AS
        SELECT * FROM sample WHERE slot > (SELECT slot FROM folded) AND round = (SELECT round FROM folded)
      """,
    ],
  ]

  /// Makes or renews the tables. A file of a later version is left as it is.
  static func prepare(_ database: borrowing Database) throws(DatabaseError) {
    let found = try database.pragma("user_version")
    guard found <= version, found >= 0 else {
      throw DatabaseError(kind: .newer, what: "it has version \(found) of the tables, this program knows \(version)", path: database.path)
    }
    for step in found..<version {
      try database.transaction { () throws(DatabaseError) in
        for sql in migrations[step] { try database.run(sql) }
        try database.pragma("user_version", step + 1)
      }
    }
  }
}
