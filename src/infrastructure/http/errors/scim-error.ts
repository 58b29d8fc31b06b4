import { AppError, type ErrorCode } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { ERROR_STATUS } from './to-app-error';

/** RFC 7644 §3.12. */
export const SCIM_TYPES = [
  'invalidFilter',
  'tooMany',
  'uniqueness',
  'mutability',
  'invalidSyntax',
  'invalidPath',
  'noTarget',
  'invalidValue',
] as const;
export type ScimType = (typeof SCIM_TYPES)[number];

export const SCIM_MEDIA_TYPE = 'application/scim+json';

/** A refusal whose kind a SCIM client reads. */
export class ScimError extends AppError {
  constructor(
    readonly scimType: ScimType,
    detail: string,
  ) {
    super(scimType === 'uniqueness' ? 'conflict' : 'bad_request', detail);
  }
}

export class ScimErrorDto {
  @ApiProperty({ type: [String], example: ['urn:ietf:params:scim:api:messages:2.0:Error'] })
  schemas!: string[];
  @ApiProperty({ example: '409' })
  status!: string;
  @ApiProperty({ enum: SCIM_TYPES, required: false })
  scimType?: ScimType;
  detail!: string;
}

const TYPES: Partial<Record<ErrorCode, ScimType>> = {
  conflict: 'uniqueness',
  malformed_json: 'invalidSyntax',
  body_too_complex: 'invalidSyntax',
  validation_failed: 'invalidValue',
};

export function scimError(error: AppError): ScimErrorDto {
  const scimType = error instanceof ScimError ? error.scimType : TYPES[error.code];
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(ERROR_STATUS[error.code]),
    ...(scimType === undefined ? {} : { scimType }),
    detail: error.detail,
  };
}
