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
   * Nest deletes members called `prototype`, `__proto__` and `constructor` unseen. The body reader has refused `__proto__`;
   * the others are ordinary members: unknown to a class, kept where anything is.
   */
  protected override stripProtoKeys(): void {}
}

/** Every problem at once, each with its path; unknown properties are refused by name; values are never echoed. */
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
