import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { IsPlainName } from './is-plain-name.decorator';

const LONGEST = 200;

/** A trimmed name on one line. */
export const IsName = (openApi: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: String, minLength: 1, maxLength: LONGEST, ...openApi }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value)),
    IsString(),
    IsNotEmpty(),
    MaxLength(LONGEST),
    IsPlainName(),
  );
