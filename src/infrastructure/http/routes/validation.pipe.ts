import { type Problem, type ValueProblem, invalid } from '@bellwether/kernel';
import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { type ValidationError, getMetadataStorage } from 'class-validator';

const isIndex = (property: string): boolean => /^\d+$/.test(property);

const join = (parent: string, property: string): string => {
  if (isIndex(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
};

/** Codes by the validator's name; `limit` is its first argument. Other validators have no code. */
const CODES: Readonly<Record<string, string>> = {
  arrayMaxSize: 'max_items',
  arrayMinSize: 'min_items',
  arrayNotEmpty: 'missing',
  isArray: 'type',
  isBoolean: 'type',
  isDefined: 'missing',
  isEmail: 'email',
  isIn: 'enum',
  isInt: 'type',
  isNotEmpty: 'missing',
  isNumber: 'type',
  isObject: 'type',
  isPlainName: 'pattern',
  isString: 'type',
  matches: 'pattern',
  max: 'maximum',
  maxLength: 'max_length',
  min: 'minimum',
  minLength: 'min_length',
  whitelistValidation: 'unknown',
};

/** A rule may name a code of its own in its `context`. The limit is read from the class, because the error has none. */
function codeOf({ target, property, contexts }: ValidationError, validator: string): ValueProblem | null {
  const context = contexts?.[validator] as ValueProblem | undefined;
  if (context !== undefined) return context;
  const name = CODES[validator];
  if (name === undefined) return null;
  const code = `value.${name}`;
  const limit = target === undefined ? undefined : limitOf(target.constructor, property, validator);
  return typeof limit === 'number' ? { code, values: { limit } } : { code };
}

function limitOf(target: object, property: string, validator: string): unknown {
  const rules = getMetadataStorage().getTargetValidationMetadatas(target as never, '', false, false);
  return rules.find((rule) => rule.propertyName === property && rule.name === validator)?.constraints?.[0];
}

type Constraint = readonly [validator: string, message: string];

/** A value of the wrong type breaks every limit as well; report only the type. */
function tellable(constraints: readonly Constraint[]): readonly Constraint[] {
  const isOf = (code: string, [validator]: Constraint): boolean => CODES[validator] === code;
  const isWrong = constraints.some((each) => isOf('type', each));
  return isWrong ? constraints.filter((each) => isOf('type', each) || isOf('missing', each)) : constraints;
}

function problemsOf(errors: readonly ValidationError[], parent = ''): Problem[] {
  return errors.flatMap((error) => {
    const path = join(parent, error.property);
    const own = tellable(Object.entries(error.constraints ?? {})).map(([validator, message]) => ({
      path,
      message,
      ...codeOf(error, validator),
    }));
    return [...own, ...problemsOf(error.children ?? [], path)];
  });
}

const isPlain = (value: unknown): value is object => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
};

/** class-transformer would call a member named `constructor` as the class of its object. */
function constructorsIn(body: unknown): Problem[] {
  const problems: Problem[] = [];
  const open: [object, string][] = isPlain(body) ? [[body, '']] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [parent, path] = next;
    if (Object.hasOwn(parent, 'constructor'))
      problems.push({ path: join(path, 'constructor'), message: 'this property name is not allowed' });
    for (const [key, value] of Object.entries(parent)) if (isPlain(value)) open.push([value, join(path, key)]);
  }
  return problems;
}

class BodyValidation extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const problems = this.toValidate(metadata) ? constructorsIn(value) : [];
    if (problems.length > 0) throw invalid(problems);
    return super.transform(value, metadata);
  }

  /**
   * Nest silently deletes members called `prototype`, `__proto__` and `constructor`. The body reader refuses
   * `__proto__`, `transform` refuses `constructor`; `prototype` is an ordinary member.
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
    validationError: { target: true, value: false },
    exceptionFactory: (errors) => invalid(problemsOf(errors)),
  });
