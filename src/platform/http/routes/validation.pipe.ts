import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { invalid, type Problem } from '../../../kernel';

const isIndex = (property: string): boolean => /^\d+$/.test(property);

const join = (parent: string, property: string): string => {
  if (isIndex(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
};

function problemsOf(errors: readonly ValidationError[], parent = ''): Problem[] {
  return errors.flatMap((error) => {
    const path = join(parent, error.property);
    const own = Object.values(error.constraints ?? {}).map((message) => ({ path, message }));
    return [...own, ...problemsOf(error.children ?? [], path)];
  });
}

class BodyValidation extends ValidationPipe {
  /**
   * Nest silently deletes members called `prototype`, `__proto__` and `constructor`. The body reader refuses
   * `__proto__`; the others are ordinary members.
   */
  protected override stripProtoKeys(): void {}
}

/** Reports every problem with its path. Refuses unknown properties by name. Never echoes values. */
export const validationPipe = (): ValidationPipe =>
  new BodyValidation({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    transformOptions: { exposeUnsetFields: false },
    validationError: { target: false, value: false },
    exceptionFactory: (errors) => invalid(problemsOf(errors)),
  });
