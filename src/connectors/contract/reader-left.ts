/** Thrown by a reader that wants no more of a stream: not a failure of the vendor. `cause` tells why. */
export class ReaderLeft extends Error {
  constructor(cause: unknown) {
    super('The reader of the stream left', { cause });
    this.name = 'ReaderLeft';
  }
}
