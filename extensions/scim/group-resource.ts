import { isJsonObject } from '@bellwether/kernel';
import { ScimError } from '../../src/infrastructure/http';
import { type PatchOperation, invalidValue, member, textOf } from './protocol/patch';

export interface ScimGroupValues {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Ids of users. */
  readonly members: readonly string[];
}

const MOST_TEXT = 200;
const MOST_ID = 255;

/** The group of a body of POST or PUT. @throws {ScimError} `invalidSyntax`, `invalidValue` */
export function groupOf(body: unknown): ScimGroupValues {
  if (!isJsonObject(body)) throw new ScimError('invalidSyntax', 'The body must be a JSON object');
  const displayName = textOf(member(body, 'displayname'), 'displayName', MOST_TEXT);
  if (displayName === null) throw invalidValue('displayName must be given');
  return {
    displayName,
    externalId: textOf(member(body, 'externalid'), 'externalId', MOST_ID),
    members: memberIds(member(body, 'members')),
  };
}

function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const ids = values.map((each, index) => {
    const id = typeof each === 'string' ? each : member(each, 'value');
    if (typeof id !== 'string' || id === '') throw invalidValue(`members[${index}].value must be the id of a user`);
    return id.toLowerCase();
  });
  return [...new Set(ids)];
}

/** The group after the operations, checked like a new one. */
export function patchedGroup(group: ScimGroupValues, operations: readonly PatchOperation[]): ScimGroupValues {
  const draft: Record<string, unknown> = { ...group };
  const members = new Set(group.members);
  for (const operation of operations) {
    const { op, attribute, value } = operation;
    if (attribute === 'displayname') draft['displayName'] = op === 'remove' ? null : value;
    else if (attribute === 'externalid') draft['externalId'] = op === 'remove' ? null : value;
    else if (attribute === 'members') patchMembers(members, operation);
  }
  return groupOf({ ...draft, members: [...members] });
}

function patchMembers(members: Set<string>, { op, filter, value }: PatchOperation): void {
  const named = memberIds(value);
  if (op === 'replace' && filter === null) members.clear();
  if (op !== 'remove') {
    for (const id of named) members.add(id);
  } else if (filter !== null) {
    for (const id of [...members]) if (filter.matches({ value: id })) members.delete(id);
  } else if (value === undefined || value === null) {
    members.clear();
  } else {
    for (const id of named) members.delete(id);
  }
}
