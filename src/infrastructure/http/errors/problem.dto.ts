import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { NAMED_VALUES } from '../numbers';

class OpenAiErrorDetailDto {
  /** Every problem in one text. */
  message!: string;
  @ApiProperty({ example: 'invalid_request_error' })
  type!: string;
  /** Path of the first wrong member. */
  @ApiProperty({ type: String, nullable: true, example: 'messages' })
  param!: string | null;
  /** Stable code, listed in docs/reference/errors.md. */
  @ApiProperty({ example: 'validation_failed' })
  code!: string;
}

/** OpenAI's error object. */
export class OpenAiErrorDto {
  error!: OpenAiErrorDetailDto;
}

/** One thing wrong with the input. */
export class ProblemItemDto {
  /** JSON path of the value, e.g. `metadata.tools[1].config.top_k`; empty for the whole body. */
  path!: string;
  message!: string;
  /** Stable code, where the problem has one. */
  code?: string;
  /** Values that the message of `code` names. */
  @ApiProperty({
    ...NAMED_VALUES,
    example: { host: '127.0.0.1' },
  })
  values?: Readonly<Record<string, string | number>>;
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
  /** Why exactly, where there is more to say than `code` does; listed in docs/reference/errors.md. */
  @ApiProperty({ example: 'member.last_owner' })
  reason?: string;
  /** Values that the text of `reason` names. */
  @ApiProperty({ ...NAMED_VALUES, example: { limit: 5 } })
  values?: Readonly<Record<string, string | number>>;
  /** Ties the answer to the server's log. */
  request_id!: string;
}

/** Content of a described answer that is a problem. */
export const PROBLEM = { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDto) } } };
