/** One thing wrong with the input. */
export class ProblemItemDto {
  /** JSON path of the value, e.g. `metadata.tools[1].config.top_k`; empty for the whole body. */
  path!: string;
  message!: string;
  /** Diagnostic code, where the problem has one. */
  code?: string;
}

/** Problem details (RFC 9457). */
export class ProblemDto {
  /** `urn:bellwether:error:<code>`. */
  type!: string;
  title!: string;
  status!: number;
  /** Stable code, listed in docs/reference/errors.md. */
  code!: string;
  detail!: string;
  errors?: ProblemItemDto[];
  /** Ties the answer to the server's log. */
  request_id!: string;
}
