import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { normalisedName } from '../../../kernel';
import { IsPlainName } from './is-plain-name.decorator';

const LONGEST = 200;

/** A trimmed name on one line, in one normal form. */
export const IsName = (openApi: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: String, minLength: 1, maxLength: LONGEST, ...openApi }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalisedName(value.trim()) : value)),
    IsString(),
    IsNotEmpty(),
    MaxLength(LONGEST),
    IsPlainName(),
  );
