import { filesForm } from './app';
import type { Person } from './people';
import { until } from './until';

/** Uploads files, waits until they answer, and gives their documents in the order of the files. Throws when one fails. */
export async function ingested(
  who: Pick<Person, 'api'>,
  knowledgeBaseId: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<any[]> {
  const to = `/api/v1/knowledge-bases/${knowledgeBaseId}/documents`;
  const { status, text, json } = await who.api('POST', to, filesForm(...Object.entries(files)));
  if (status !== 201 && status !== 202) throw new Error(`Upload: ${status} ${text}`);
  const wanted: string[] = json.items.map(({ id }: { id: string }) => id);
  return until(async () => {
    const { items } = (await who.api('GET', `${to}?limit=100`)).json as { items: { id: string; status: string }[] };
    const documents = wanted.map((wantedId) => items.find(({ id }) => id === wantedId));
    const failed = documents.find((document) => document?.status === 'failed');
    if (failed !== undefined) throw new Error(`Not ingested: ${JSON.stringify(failed)}`);
    return documents.every((document) => document?.status === 'completed') ? documents : null;
  });
}
