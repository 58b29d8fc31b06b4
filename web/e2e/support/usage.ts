import { createRequire } from 'node:module';
import type * as UsageDays from '../../../test/support/usage-days';
import type { Api } from './fixtures';
import type { Service } from './service';

// The service's tests are CommonJS, whose names an import does not find.
const { replaceUsage } = createRequire(import.meta.url)('../../../test/support/usage-days.ts') as typeof UsageDays;

const DAY_MS = 86_400_000;
const MODELS = ['gpt-4o-mini', 'gpt-4o', 'claude-sonnet', 'llama-3.3', 'mistral-small', 'gemini-flash', 'qwen-3'];

/** `YYYY-MM-DD`, so many days ago in UTC. */
export const daysAgo = (count: number): string => new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);

/** Ids that no assistant of another test has: a stored assistant would be shown by its own name. */
const TUTOR = 900_001;
const FEEDBACK = 900_002;

/** Thirty days of usage by the administrator, as metering would have written them, in place of all other usage. */
export async function monthOfUsage(api: Api, { database }: Pick<Service, 'database'>): Promise<void> {
  const { user, organization } = await api.get('/api/v1/me');
  const rows = Array.from({ length: 30 }, (_, ago) =>
    MODELS.filter((_name, at) => (ago + at) % 3 !== 0).map((model, at) => ({
      organization: organization.id,
      day: daysAgo(ago),
      assistant: at % 2 === 0 ? TUTOR : FEEDBACK,
      assistantName: at % 2 === 0 ? 'Mechanics tutor' : '=Essay feedback',
      model,
      user: user.id,
      runs: 4 + ((ago * 7 + at) % 9),
      failed: ago % 7 === 0 ? 1 : 0,
      prompt: 9_000 + ago * 400 + at * 1_700,
      completion: 1_200 + at * 150,
      cost: 90_000 + ago * 12_000 + at * 31_000,
    })),
  );
  await replaceUsage(database, rows.flat());
}
