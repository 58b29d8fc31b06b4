import { registerDecorator } from 'class-validator';
import { isPlainName, NAME_RULE } from '../../../kernel';

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
