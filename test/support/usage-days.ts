import { Client } from 'pg';

/** A row of `usage_days` with what matters to the test; the rest is as for one run. */
export interface UsageDay {
  readonly organization: string;
  readonly day: string;
  readonly assistant?: number | null;
  readonly assistantName?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly user?: string | null;
  readonly key?: string;
  readonly callerOrganization?: string;
  readonly runs?: number;
  readonly failed?: number;
  readonly prompt?: number;
  readonly completion?: number;
  readonly cost?: number;
}

const USUAL = {
  assistant: null,
  assistantName: null,
  provider: 'openai',
  model: 'gpt-4o',
  user: null,
  key: null,
  callerOrganization: null,
  runs: 1,
  failed: 0,
  prompt: 0,
  completion: 0,
  cost: 0,
};

const INSERT = `
  INSERT INTO usage_days (organization_id, day, assistant_id, assistant_name, provider, model, user_id, credential_id,
    caller_organization_id, runs, failed, model_calls, estimated_calls, prompt_tokens, completion_tokens, cached_tokens,
    cost_micros)
  SELECT organization, day, assistant, "assistantName", provider, model, "user", key, "callerOrganization", runs, failed,
         runs, 0, prompt, completion, 0, cost
  FROM json_to_recordset($1::json) AS r (organization uuid, day date, assistant int, "assistantName" text, provider text,
    model text, "user" uuid, key uuid, "callerOrganization" uuid, runs int, failed int, prompt bigint, completion bigint,
    cost bigint)`;

const insert = (client: Client, days: readonly UsageDay[]) =>
  client.query(INSERT, [JSON.stringify(days.map((day) => ({ ...USUAL, ...day })))]);

/** Puts usage of past days straight into the table: metering writes only today. */
export const storeUsage = (connectionString: string, days: readonly UsageDay[]): Promise<void> =>
  withClient(connectionString, async (client) => void (await insert(client, days)));

/** Like `storeUsage`, in place of everything that earlier tests used. */
export const replaceUsage = (connectionString: string, days: readonly UsageDay[]): Promise<void> =>
  withClient(connectionString, async (client) => {
    await client.query('DELETE FROM usage_days');
    await insert(client, days);
  });

async function withClient(connectionString: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
