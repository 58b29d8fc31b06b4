import { NAME_RULE, isPlainName, normalisedName } from '@bellwether/kernel';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  registerDecorator,
} from 'class-validator';
import { DECIMAL } from '../numbers';

/** Description of a property beyond its rules: an example, a default. */
type Described = Omit<ApiPropertyOptions, 'enum' | 'minimum' | 'maximum' | 'maxLength'>;

/**
 * The property may be absent but not null. `IsOptional` of class-validator also accepts null: use it where null has a
 * meaning.
 */
export const MayBeOmitted = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);

/** An id (UUID) in an answer. */
export const Id = (): PropertyDecorator => ApiProperty({ format: 'uuid' });

/** A time in an answer. */
export const Moment = (): PropertyDecorator => ApiProperty({ format: 'date-time' });

/** A number that may have decimals: a share, a measured time. Every other number of the API is whole (`wholeNumbers`). */
export const Fraction = (described: Described = {}): PropertyDecorator =>
  ApiProperty({ ...described, ...DECIMAL } as ApiPropertyOptions);

/** A whole number between two limits in a body. */
export const Between = (minimum: number, maximum: number, described: Described = {}): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ ...described, type: 'integer', minimum, maximum } as ApiPropertyOptions),
    Max(maximum),
    Min(minimum),
    IsInt(),
  );

/** A whole number between two limits in a query, where every value is text. */
export const QueryBetween = (minimum: number, maximum: number, described: Described = {}): PropertyDecorator =>
  applyDecorators(
    Between(minimum, maximum, described),
    Type(() => Number),
  );

/** A text in a body, of at most so many characters. */
export const Text = (maxLength: number, described: Described = {}): PropertyDecorator =>
  applyDecorators(ApiProperty({ ...described, maxLength } as ApiPropertyOptions), MaxLength(maxLength), IsString());

/** A text in a body that is not empty. */
export const FilledText = (maxLength: number, described: Described = {}): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ ...described, minLength: 1, maxLength } as ApiPropertyOptions),
    MaxLength(maxLength),
    IsNotEmpty(),
    IsString(),
  );

/** Cuts the spaces around a text. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** True or false, or absent. */
export const Flag = (described: Described = {}): PropertyDecorator =>
  applyDecorators(ApiProperty({ required: false, ...described } as ApiPropertyOptions), IsBoolean(), MayBeOmitted());

/** One of these values. */
export const OneOf = (values: readonly (string | number | boolean)[], described: Described = {}): PropertyDecorator =>
  applyDecorators(ApiProperty({ ...described, enum: values } as ApiPropertyOptions), IsIn(values));

/** Control characters and direction overrides would change a name in lists, terminals and logs. */
export const IsPlainName = (): PropertyDecorator => (target, propertyName) =>
  registerDecorator({
    name: 'isPlainName',
    target: target.constructor,
    propertyName: String(propertyName),
    validator: {
      // Other rules refuse values that are no strings.
      validate: (value: unknown) => typeof value !== 'string' || isPlainName(value),
      defaultMessage: () => `${String(propertyName)} ${NAME_RULE}`,
    },
  });

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
