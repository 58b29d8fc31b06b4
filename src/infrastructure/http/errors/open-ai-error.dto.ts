import { ApiProperty } from '@nestjs/swagger';

export class OpenAiErrorDetailDto {
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
