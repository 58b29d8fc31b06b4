import { registerDecorator } from 'class-validator';
import { isPlainName, NAME_RULE } from '../../../kernel';

/** Names are shown in lists, terminals and logs, where a control character or a turned direction shows another text. */
export const IsPlainName = (): PropertyDecorator => (target, propertyName) =>
  registerDecorator({
    name: 'isPlainName',
    target: target.constructor,
    propertyName: String(propertyName),
    validator: {
      // Other rules refuse what is no string.
      validate: (value: unknown) => typeof value !== 'string' || isPlainName(value),
      defaultMessage: () => `${String(propertyName)} ${NAME_RULE}`,
    },
  });
