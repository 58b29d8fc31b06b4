const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
const unescaped = (text: string): string =>
  Object.entries(ENTITIES)
    .reverse()
    .reduce((read, [character, entity]) => read.replaceAll(entity, character), text.replaceAll('&#39;', "'"));

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Course</title></head><body>${body}</body></html>`;

/** A form that submits itself, as platforms and tools hand over their messages. */
export const postingPage = (action: string, fields: Readonly<Record<string, string>>): string =>
  page(
    `<form method="post" action="${escaped(action)}">${Object.entries(fields)
      .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
      .join('')}</form><script>document.forms[0].submit()</script>`,
  );

export interface PostedForm {
  readonly action: string;
  readonly fields: Record<string, string>;
}

const attribute = (tag: string, name: string): string =>
  unescaped(new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag)?.[1] ?? '');

/** The first form of a page. @throws where the page has none */
export function formOf(text: string): PostedForm {
  const form = /<form\b[^>]*>/i.exec(text)?.[0];
  if (form === undefined) throw new Error(`No form in: ${text.slice(0, 500)}`);
  const inputs = [...text.matchAll(/<input\b[^>]*>/gi)].map(([tag]) => tag);
  return {
    action: attribute(form, 'action'),
    fields: Object.fromEntries(
      inputs
        .filter((tag) => attribute(tag, 'name') !== '')
        .map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')]),
    ),
  };
}

/**
 * A page of the course that shows the tool in a frame. With `storage` it answers Platform Storage 0.1:
 * it keeps values by the origin of the frame that sent them.
 */
export const coursePage = (start: string, storage: boolean): string =>
  page(
    `<h1>Course</h1><iframe id="tool" name="tool" title="Tool" src="${escaped(start)}" width="100%" height="600" allow="storage-access"></iframe>
<script>
const kept = new Map();
if (${String(storage)}) addEventListener('message', ({ data, source, origin }) => {
  const subjects = ['lti.capabilities', 'lti.put_data', 'lti.get_data'];
  if (!data || !subjects.includes(data.subject)) return;
  const answer = { subject: data.subject + '.response', message_id: data.message_id };
  const key = origin + ' ' + data.key;
  if (data.subject === 'lti.capabilities') answer.supported_messages = subjects.map((subject) => ({ subject }));
  else if (data.subject === 'lti.put_data') {
    if (data.value === null || data.value === undefined) kept.delete(key);
    else kept.set(key, data.value);
    Object.assign(answer, { key: data.key, value: data.value });
  } else Object.assign(answer, { key: data.key, value: kept.get(key) ?? null });
  source.postMessage(answer, origin);
});
</script>`,
  );

/** Shown in a window that opened the tool's registration page. */
export const registrationPage = (address: string): string =>
  page(
    `<h1>Add a tool</h1><iframe id="tool" title="Registration" src="${escaped(address)}" width="100%" height="600"></iframe>
<p id="state">waiting</p>
<script>
addEventListener('message', ({ data }) => {
  if (data && data.subject === 'org.imsglobal.lti.close') document.getElementById('state').textContent = 'closed';
});
</script>`,
  );
