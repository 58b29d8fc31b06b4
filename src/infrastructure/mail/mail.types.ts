export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail that the server did not take. `message` is in the server's words, for administrators. */
export class MailError extends Error {
  constructor(
    message: string,
    /** The server refuses this mail or these credentials: another try gives the same answer. */
    readonly permanent: boolean,
  ) {
    super(message);
    this.name = 'MailError';
  }
}
