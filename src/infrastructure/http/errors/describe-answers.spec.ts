import type { OpenAPIObject } from '@nestjs/swagger';
import { describeAnswers } from './describe-answers';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDto' } } };
const FAILED = { description: 'Any other problem', content: PROBLEM };

function answersOf(method: 'get' | 'post' | 'patch', operation: Partial<Operation>) {
  const responses = { 200: { description: '' }, default: FAILED, ...operation.responses };
  const document = {
    openapi: '3.1.0',
    info: { title: 'An API', version: '1' },
    paths: { '/things': { [method]: { ...operation, responses } } },
    components: {},
  };
  const { paths, components } = describeAnswers(document);
  return { told: paths['/things']?.[method]?.responses ?? {}, shared: components?.responses ?? {} };
}

const statuses = (answers: object): string[] => Object.keys(answers);
const body = { requestBody: { content: {} } };
const security = [{ bearer: [] }];
const path = { name: 'id', in: 'path', schema: { type: 'string' } } as const;

describe('the refusals of an operation', () => {
  it('follow from its credential, its path and its query', () => {
    const query = { name: 'limit', in: 'query', schema: { type: 'integer' } } as const;
    expect(statuses(answersOf('get', { security, parameters: [path, query] }).told)).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '429']),
    );
    expect(statuses(answersOf('get', {}).told)).toEqual(['200', 'default']);
  });

  it('follow from its body, its change and the version in If-Match', () => {
    const version = { name: 'if-match', in: 'header', schema: { type: 'string' } } as const;
    const { told } = answersOf('patch', { ...body, security, parameters: [path, version] });
    expect(statuses(told)).toEqual(expect.arrayContaining(['400', '409', '412', '413', '415']));
  });

  it('are no conflicts where a POST asks a question', () => {
    expect(statuses(answersOf('post', { ...body, security }).told)).not.toContain('409');
    expect(statuses(answersOf('post', { ...body, security, responses: { 201: { description: '' } } }).told)).toContain(
      '409',
    );
  });

  it('stand once, in the shape of the operation', () => {
    const { told, shared } = answersOf('get', { security });
    expect(told['403']).toEqual({ $ref: '#/components/responses/ProblemForbidden' });
    expect(shared['ProblemForbidden']).toEqual({ description: expect.stringContaining('role'), content: PROBLEM });
  });

  it('leave the text that a route gives', () => {
    const own = { description: 'The link is used', content: PROBLEM };
    const { told } = answersOf('get', { security, responses: { 401: own } });
    expect(told['401']).toEqual(own);
  });
});

it('a success without a text gets one', () => {
  expect(answersOf('get', {}).told['200']).toMatchObject({ description: 'Found' });
});
