import { api, idempotencyKey, must, type Schema } from '$lib/kit/api/client';

export type AssistantTest = Schema<'AssistantTestDto'>;
export type TestBody = Schema<'CreateAssistantTestDto'>;
export type TestRun = Schema<'TestRunDto'>;
export type TestResult = Schema<'TestResultDto'>;
export type TestDiff = Schema<'TestDiffDto'>;
export type ExpectationKind = Schema<'ExpectationKindDto'>;

const MOST = 100;

export async function kinds(): Promise<readonly ExpectationKind[]> {
  return must(await api.GET('/api/v1/expectations')).expectations;
}

export async function testsOf(id: number): Promise<readonly AssistantTest[]> {
  const found: AssistantTest[] = [];
  for (let cursor: string | null = null; ;) {
    const query = { limit: MOST, ...(cursor === null ? {} : { cursor }) };
    const page: Schema<'AssistantTestPageDto'> = must(
      await api.GET('/api/v1/assistants/{id}/tests', { params: { path: { id }, query } }),
    );
    found.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) return found;
  }
}

export async function proposalOf(id: number, run_id: string): Promise<TestBody> {
  const params = { path: { id }, query: { run_id } };
  return must(await api.GET('/api/v1/assistants/{id}/tests/proposal', { params }));
}

export async function saveTest(id: number, test: AssistantTest | null, body: TestBody): Promise<void> {
  const path = { id };
  if (test === null) {
    const header = { 'Idempotency-Key': idempotencyKey() };
    await api.POST('/api/v1/assistants/{id}/tests', { params: { path, header }, body });
  } else {
    const params = { path: { ...path, test: test.id }, header: { 'if-match': `"${test.version}"` } };
    await api.PATCH('/api/v1/assistants/{id}/tests/{test}', { params, body });
  }
}

export async function removeTest(id: number, test: AssistantTest): Promise<void> {
  const params = { path: { id, test: test.id }, header: { 'if-match': `"${test.version}"` } };
  await api.DELETE('/api/v1/assistants/{id}/tests/{test}', { params });
}

export async function startTests(id: number): Promise<TestRun> {
  const params = { path: { id }, header: { 'Idempotency-Key': idempotencyKey() } };
  return must(await api.POST('/api/v1/assistants/{id}/test-runs', { params, body: {} }));
}

export async function testRunsOf(id: number): Promise<readonly TestRun[]> {
  const params = { path: { id }, query: { limit: 20 } };
  return must(await api.GET('/api/v1/assistants/{id}/test-runs', { params })).items;
}

export async function readTestRun(id: number, run: string): Promise<TestRun> {
  const params = { path: { id, run } };
  return must(await api.GET('/api/v1/assistants/{id}/test-runs/{run}', { params }));
}

export async function resultsOf(id: number, run: string): Promise<readonly TestResult[]> {
  const found: TestResult[] = [];
  for (let cursor: string | null = null; ;) {
    const query = { limit: MOST, ...(cursor === null ? {} : { cursor }) };
    const page: Schema<'TestResultPageDto'> = must(
      await api.GET('/api/v1/assistants/{id}/test-runs/{run}/results', { params: { path: { id, run }, query } }),
    );
    found.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) return found;
  }
}

export async function cancelTests(id: number, run: string): Promise<TestRun> {
  const params = { path: { id, run } };
  return must(await api.POST('/api/v1/assistants/{id}/test-runs/{run}/cancel', { params }));
}

export async function diffOf(id: number, run: string, earlier: string): Promise<TestDiff> {
  const params = { path: { id, run }, query: { with: earlier } };
  return must(await api.GET('/api/v1/assistants/{id}/test-runs/{run}/diff', { params }));
}
