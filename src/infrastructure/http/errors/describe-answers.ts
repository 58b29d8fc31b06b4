import type { OpenAPIObject } from '@nestjs/swagger';
import { ERRORS } from './describe-errors.decorator';

type Refusal = keyof typeof ERRORS;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Answer = Exclude<Operation['responses'][string], { $ref: string } | undefined>;
type Content = NonNullable<Answer['content']>;

/** Names in `components.responses`, behind that of the schema. */
const NAMES: Readonly<Record<Refusal, string>> = {
  400: 'Invalid',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'Stale',
  413: 'TooLarge',
  415: 'MediaType',
  422: 'KeyReused',
  428: 'VersionMissing',
  429: 'TooMany',
  '4XX': 'Refused',
  default: 'Failed',
};

function parametersOf({ parameters = [] }: Operation): ReadonlySet<string> {
  return new Set(
    parameters.flatMap((each) => ('$ref' in each ? [] : [each.in, `${each.in} ${each.name.toLowerCase()}`])),
  );
}

const hasCredential = ({ security = [] }: Operation): boolean => security.some((each) => Object.keys(each).length > 0);

/** Whether it changes something: a POST that answers 200 is a question. */
const changes = (method: string, { responses }: Operation): boolean =>
  method !== 'get' && !(method === 'post' && '200' in responses && !('201' in responses));

/** Refusals that every operation of a kind may answer, beside those that its decorators name. */
function refusalsOf(method: string, operation: Operation): Refusal[] {
  const given = parametersOf(operation);
  const hasBody = operation.requestBody !== undefined;
  const rules: readonly (readonly [boolean, readonly Refusal[]])[] = [
    [hasBody || given.has('query'), [400]],
    [hasCredential(operation), [401, 403, 429]],
    [given.has('path'), [404]],
    [hasCredential(operation) && changes(method, operation), [409]],
    [given.has('header if-match'), [412]],
    [hasBody, [413, 415]],
    [given.has('header idempotency-key'), [422]],
  ];
  return rules.flatMap(([applies, refusals]) => (applies ? refusals : []));
}

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted; it goes on in the background',
  204: 'Done, without a body',
};

function successText(status: string, method: string, { content = {} }: Answer): string {
  const [{ schema = {} } = {}] = Object.values(content);
  if ('$ref' in schema && schema.$ref.endsWith('PageDto')) return 'One page of the list';
  return method === 'get' && status === '200' ? 'Found' : (SUCCESSES[status] ?? '');
}

const isShared = (answer: Operation['responses'][string]): answer is { $ref: string } =>
  answer !== undefined && '$ref' in answer;

function ownContent({ responses }: Operation): Content {
  const failed = responses['default'] ?? responses['4XX'];
  return failed === undefined || isShared(failed) ? {} : (failed.content ?? {});
}

/** The refusal whose text an answer has; null for one with words of its own. Two decorators of one route join their texts. */
function refusalOf(status: string, { description }: Answer): Refusal | null {
  const known = (Object.keys(NAMES) as unknown as Refusal[]).find((each) => String(each) === status);
  return known !== undefined && description.split('\n\n').every((each) => each === ERRORS[known]) ? known : null;
}

/** Completes the answers of one operation; `share` keeps a refusal and returns a reference to it. */
function complete(method: string, operation: Operation, share: (status: Refusal, content: Content) => string): void {
  const { responses } = operation;
  const content = ownContent(operation);
  for (const status of refusalsOf(method, operation)) responses[status] ??= { description: ERRORS[status], content };
  for (const [status, answer] of Object.entries(responses)) {
    if (answer === undefined || isShared(answer)) continue;
    if (answer.description === '') answer.description = successText(status, method, answer);
    const refusal = refusalOf(status, answer);
    if (refusal !== null) responses[status] = { $ref: share(refusal, answer.content ?? content) };
  }
}

/**
 * Names the refusals of each operation by its kind: what it takes, who may call it, whether it changes something. They
 * stand once in `components.responses`, in the shape in which the operation tells its errors. Gives successes a text.
 */
export function describeAnswers(document: OpenAPIObject): OpenAPIObject {
  const shared: NonNullable<NonNullable<OpenAPIObject['components']>['responses']> = {};
  const share = (status: Refusal, content: Content): string => {
    const [{ schema = {} } = {}] = Object.values(content);
    const of = '$ref' in schema ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1).replace(/Dto$/, '') : '';
    shared[`${of}${NAMES[status]}`] = { description: ERRORS[status], content };
    return `#/components/responses/${of}${NAMES[status]}`;
  };
  for (const { get, put, post, patch, delete: remove } of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries({ get, put, post, patch, delete: remove }))
      if (operation !== undefined) complete(method, operation, share);
  }
  const responses = Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...document, components: { ...document.components, responses } };
}
