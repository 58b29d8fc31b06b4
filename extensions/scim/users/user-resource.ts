import { isJsonObject } from '@bellwether/kernel';
import { ScimError } from '../../../src/infrastructure/http';
import { type PatchOperation, invalidValue, member, textOf } from '../protocol/patch';

export interface ScimEmail {
  readonly value: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** The attributes of a user that are stored. Others are accepted and left out. */
export interface ScimUserValues {
  readonly userName: string;
  readonly externalId: string | null;
  readonly displayName: string | null;
  readonly name: Readonly<Record<string, string>>;
  readonly emails: readonly ScimEmail[];
  readonly active: boolean;
}

const NAME_PARTS = [
  'formatted',
  'familyName',
  'givenName',
  'middleName',
  'honorificPrefix',
  'honorificSuffix',
] as const;
const MOST_TEXT = 200;
const MOST_ID = 255;
const MOST_EMAILS = 20;
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** The user of a body of POST or PUT. @throws {ScimError} `invalidSyntax`, `invalidValue` */
export function userOf(body: unknown): ScimUserValues {
  if (!isJsonObject(body)) throw new ScimError('invalidSyntax', 'The body must be a JSON object');
  const userName = textOf(member(body, 'username'), 'userName', MOST_ID);
  if (userName === null) throw invalidValue('userName must be given');
  return {
    userName,
    externalId: textOf(member(body, 'externalid'), 'externalId', MOST_ID),
    displayName: textOf(member(body, 'displayname'), 'displayName', MOST_TEXT),
    name: nameOf(member(body, 'name')),
    emails: emailsOf(member(body, 'emails')),
    active: activeOf(member(body, 'active')),
  };
}

/** The address that the account gets; null without a usable one. */
export function addressOf({ emails, userName }: ScimUserValues): string | null {
  const first =
    emails.find(({ primary }) => primary === true) ?? emails.find(({ type }) => type === 'work') ?? emails[0];
  const address = first?.value ?? userName;
  return ADDRESS.test(address) ? address.toLowerCase() : null;
}

export function displayNameOf({ displayName, name, userName }: ScimUserValues): string {
  const parts = [name['givenName'], name['familyName']].filter((part) => part !== undefined).join(' ');
  const shown = displayName ?? name['formatted'] ?? (parts === '' ? userName : parts);
  return shown.slice(0, MOST_TEXT).toWellFormed();
}

/** Entra ID sends "True" and "False". */
function activeOf(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 'true') return true;
  if (word === false || word === 'false') return false;
  throw invalidValue('active must be true or false');
}

function nameOf(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw invalidValue('name must be an object');
  const parts = NAME_PARTS.flatMap((part) => {
    const text = textOf(member(value, part.toLowerCase()), `name.${part}`, MOST_TEXT);
    return text === null ? [] : [[part, text] as const];
  });
  return Object.fromEntries(parts);
}

function emailsOf(value: unknown): readonly ScimEmail[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MOST_EMAILS) {
    throw invalidValue(`emails must be a list of at most ${MOST_EMAILS} addresses`);
  }
  return value.flatMap((email: unknown, index) => {
    // Some directories send plain texts, and empty ones for addresses that a person does not have.
    const address = textOf(typeof email === 'string' ? email : member(email, 'value'), `emails[${index}].value`, 254);
    if (address === null) return [];
    if (!ADDRESS.test(address)) throw invalidValue(`emails[${index}].value must be an e-mail address`);
    const type = textOf(member(email, 'type'), `emails[${index}].type`, 50);
    const primary = member(email, 'primary');
    return {
      value: address,
      ...(type === null ? {} : { type: type.toLowerCase() }),
      ...(primary === undefined || primary === null ? {} : { primary: activeOf(primary) }),
    };
  });
}

type Draft = { emails: unknown[]; name: Record<string, unknown> } & Record<string, unknown>;
/** A map, as clients choose the names: an object would also know `constructor`. */
const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['username', 'userName'],
  ['externalid', 'externalId'],
  ['displayname', 'displayName'],
  ['active', 'active'],
]);

/** The user after the operations, checked like a new one. */
export function patchedUser(user: ScimUserValues, operations: readonly PatchOperation[]): ScimUserValues {
  const draft: Draft = { ...user, name: { ...user.name }, emails: [...user.emails] };
  for (const operation of operations) {
    const { op, attribute, value } = operation;
    const simple = SIMPLE.get(attribute);
    if (simple !== undefined)
      draft[simple] = op !== 'remove' ? unwrapped(value) : simple === 'active' ? draft['active'] : null;
    else if (attribute === 'name') patchName(draft, operation);
    else if (attribute === 'emails') patchEmails(draft, operation);
  }
  return userOf(draft);
}

/** An old form of Entra ID: `[{"$ref": null, "value": "False"}]`. */
const unwrapped = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (member(value[0], 'value') ?? value) : value;

function patchName(draft: Draft, { op, sub, value }: PatchOperation): void {
  const changes = sub === null ? value : { [sub]: value };
  if (op === 'remove') {
    for (const part of NAME_PARTS) if (sub === null || part.toLowerCase() === sub) draft.name[part] = null;
    return;
  }
  if (!isJsonObject(changes)) throw invalidValue('name must be an object');
  for (const part of NAME_PARTS) {
    const next = member(changes, part.toLowerCase());
    if (next !== undefined) draft.name[part] = next;
  }
}

function patchEmails(draft: Draft, { op, filter, sub, value }: PatchOperation): void {
  const isMeant = (email: unknown): boolean => filter === null || (isJsonObject(email) && filter.matches(email));
  const values: unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  if (op === 'remove') {
    draft.emails = draft.emails.flatMap((email) => {
      if (!isMeant(email)) return [email];
      return sub === null || !isJsonObject(email) ? [] : [{ ...email, [sub]: undefined }];
    });
  } else if (filter === null && sub === null) {
    const kept =
      op === 'replace' ? [] : draft.emails.filter((email) => !values.some((each) => sameAddress(each, email)));
    draft.emails = onePrimary(notTooMany([...kept, ...values]), (email) => values.includes(email));
  } else {
    const changes = sub === null ? value : { [sub]: value };
    const found = draft.emails.some(isMeant);
    const changed = new Set<unknown>();
    const change = (email: Readonly<Record<string, unknown>>): unknown => {
      const next = merged(email, changes);
      changed.add(next);
      return next;
    };
    const emails = found
      ? draft.emails.map((email) => (isMeant(email) && isJsonObject(email) ? change(email) : email))
      : [...draft.emails, change(filter?.template ?? {})];
    draft.emails = onePrimary(emails, (email) => changed.has(email));
  }
}

/** RFC 7644 §3.5.2: a new primary address takes the mark from the others. */
function onePrimary(emails: unknown[], isNew: (email: unknown) => boolean): unknown[] {
  const isPrimary = (email: unknown): boolean => String(member(email, 'primary')).toLowerCase() === 'true';
  if (!emails.some((email) => isNew(email) && isPrimary(email))) return emails;
  return emails.map((email) =>
    !isNew(email) && isJsonObject(email) && isPrimary(email) ? { ...email, primary: false } : email,
  );
}

/** Before the next operation compares each of them with all others. */
function notTooMany(emails: unknown[]): unknown[] {
  if (emails.length > MOST_EMAILS) throw invalidValue(`emails must be a list of at most ${MOST_EMAILS} addresses`);
  return emails;
}

const sameAddress = (one: unknown, other: unknown): boolean => {
  const [first, second] = [member(one, 'value'), member(other, 'value')];
  return typeof first === 'string' && typeof second === 'string' && first.toLowerCase() === second.toLowerCase();
};

function merged(email: Readonly<Record<string, unknown>>, changes: unknown): Record<string, unknown> {
  const of = (name: string): unknown => member(changes, name) ?? member(email, name);
  return { value: of('value'), type: of('type'), primary: of('primary') };
}
