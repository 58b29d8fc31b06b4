import { ValidateIf } from 'class-validator';

/**
 * The property may be left out. Unlike class-validator's `IsOptional` it does not let null pass, which would reach columns
 * and sums that know no null; properties for which null means something keep `IsOptional`.
 */
export const MayBeOmitted = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);
