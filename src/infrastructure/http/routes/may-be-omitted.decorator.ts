import { ValidateIf } from 'class-validator';

/**
 * The property may be absent but not null. `IsOptional` of class-validator also accepts null: use it where null has a
 * meaning.
 */
export const MayBeOmitted = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);
