import { Injectable } from '@nestjs/common';
import {
  type ArrivingAssistant,
  type ArrivingPromptTemplate,
  type ArrivingShare,
  AssistantArrivals,
  PromptTemplateArrivals,
} from '../../assistants';
import { FileArrivals, type KeptFile, type StandingFile } from '../../files';
import { type ArrivingCollection, CollectionArrivals } from '../../knowledge-bases';
import { type ArrivingMember, MemberArrivals } from '../../organizations';
import type { Transaction } from '../../platform/database';
import { type ArrivingRubric, RubricArrivals } from '../../rubrics';
import type { Taken } from './meetings';
import type { Arrival, Landing } from './reconcile';

/** Where things land: one organization, one transaction. */
export interface Ground {
  readonly organizationId: string;
  readonly tx: Transaction;
}

/** An assistant that is to get a reserved id. */
export interface NumberedAssistants {
  /** Reserved ids by the source's key. */
  readonly ids: ReadonlyMap<string, number>;
  /** What was here when they were reserved. */
  readonly taken: readonly Taken[];
  /** Seconds since 1970 by the source's key. */
  readonly times: ReadonlyMap<string, { readonly created: number | null; readonly updated: number | null }>;
}

export interface SharedAssistant {
  readonly assistantId: number;
  readonly shares: readonly ArrivingShare[];
}

/** A file as far as the source has a say in it. */
export type FileValue = Pick<StandingFile, 'ownerId' | 'name' | 'sha256'>;

export interface FileLanding extends Landing<FileValue> {
  /** Bytes that are named from now on. */
  readonly used: readonly KeptFile[];
  /** Bytes that nothing names any more. */
  readonly replaced: readonly Pick<KeptFile, 'ownerId' | 'storageName'>[];
}

const dateOf = (seconds: number | null | undefined): Date | null => {
  const date = typeof seconds === 'number' && seconds > 0 ? new Date(seconds * 1000) : null;
  return date === null || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? null : date;
};

const byText = <T>(map: ReadonlyMap<number, T>): ReadonlyMap<string, T> =>
  new Map([...map].map(([id, value]) => [String(id), value]));

/** How each kind lands: the rooms' own doors for arrivals, seen alike. */
@Injectable()
export class Landings {
  constructor(
    private readonly memberArrivals: MemberArrivals,
    private readonly rubricArrivals: RubricArrivals,
    private readonly templateArrivals: PromptTemplateArrivals,
    private readonly collectionArrivals: CollectionArrivals,
    private readonly assistantArrivals: AssistantArrivals,
    private readonly fileArrivals: FileArrivals,
  ) {}

  members({ organizationId, tx }: Ground): Landing<ArrivingMember> {
    const rooms = this.memberArrivals;
    const lasting = ({ email: _, ...member }: ArrivingMember) => member;
    const byId = async () => {
      const members = await rooms.standing(organizationId, tx);
      return new Map(members.map((member) => [member.userId, lasting(member)]));
    };
    return {
      kind: 'member',
      standing: () => byId(),
      taken: async () => [...(await byId()).keys()].map((id) => ({ id, key: id })),
      keyOf: ({ userId }) => userId,
      lasting,
      arrive: async (arrivals) => {
        const members = arrivals.map(({ value }) => value);
        await rooms.arrive(organizationId, members, tx);
        return members.map(({ userId }) => userId);
      },
      change: (_, { value }) => rooms.change(organizationId, value, tx),
    };
  }

  rubrics({ organizationId, tx }: Ground): Landing<ArrivingRubric> {
    const rooms = this.rubricArrivals;
    return {
      kind: 'rubric',
      standing: (ids) => rooms.standing(organizationId, ids, tx),
      taken: () => rooms.taken(organizationId, tx),
      keyOf: (value) => rooms.keyOf(value),
      arrive: (arrivals) => rooms.arrive(organizationId, valuesOf(arrivals), tx),
      change: (id, { value }) => rooms.change(organizationId, id, value, tx).then(() => true),
    };
  }

  promptTemplates({ organizationId, tx }: Ground): Landing<ArrivingPromptTemplate> {
    const rooms = this.templateArrivals;
    return {
      kind: 'prompt_template',
      standing: (ids) => rooms.standing(organizationId, ids, tx),
      taken: () => rooms.taken(organizationId, tx),
      keyOf: (value) => rooms.keyOf(value),
      arrive: (arrivals) => rooms.arrive(organizationId, valuesOf(arrivals), tx),
      change: (id, { value }) => rooms.change(organizationId, id, value, tx).then(() => true),
    };
  }

  collections({ organizationId, tx }: Ground): Landing<ArrivingCollection> {
    const rooms = this.collectionArrivals;
    return {
      kind: 'collection',
      standing: (ids) => rooms.standing(organizationId, ids, tx),
      taken: () => rooms.taken(organizationId, tx),
      keyOf: ({ collectionId }) => collectionId,
      arrive: (arrivals) => rooms.arrive(organizationId, valuesOf(arrivals), tx),
      change: (_, { value }) => rooms.change(organizationId, value, tx).then(() => true),
    };
  }

  assistants({ organizationId, tx }: Ground, { ids, taken, times }: NumberedAssistants): Landing<ArrivingAssistant> {
    const rooms = this.assistantArrivals;
    const reservedFor = (origin: string): number => {
      const id = ids.get(origin);
      if (id === undefined) throw new Error('No id was reserved for an assistant');
      return id;
    };
    return {
      kind: 'assistant',
      standing: async (wanted) => byText(await rooms.standing(organizationId, wanted.map(Number), tx)),
      taken: () => Promise.resolve(taken),
      keyOf: (value) => rooms.keyOf(value),
      arrive: async (arrivals) => {
        const rows = arrivals.map(({ origin, value }) => ({
          id: reservedFor(origin),
          assistant: value,
          createdAt: dateOf(times.get(origin)?.created),
          updatedAt: dateOf(times.get(origin)?.updated),
        }));
        await rooms.arrive(organizationId, rows, tx);
        return rows.map(({ id }) => String(id));
      },
      change: (id, { value }) => rooms.change(organizationId, Number(id), value, tx),
    };
  }

  shares({ organizationId, tx }: Ground, assistantIds: readonly number[]): Landing<SharedAssistant> {
    const rooms = this.assistantArrivals;
    const standing = async (ids: readonly number[]) => {
      const shares = await rooms.shares(organizationId, ids, tx);
      return new Map([...shares].map(([id, list]) => [String(id), { assistantId: id, shares: list }]));
    };
    return {
      kind: 'share',
      standing: (ids) => standing(ids.map(Number)),
      taken: async () =>
        [...(await standing(assistantIds))]
          .filter(([, { shares }]) => shares.length > 0)
          .map(([id]) => ({ id, key: id })),
      keyOf: ({ assistantId }) => String(assistantId),
      arrive: async (arrivals) => {
        const lists = valuesOf(arrivals);
        const all = lists.flatMap(({ assistantId, shares }) => shares.map((share) => ({ ...share, assistantId })));
        await rooms.shareNewly(organizationId, all, tx);
        return lists.map(({ assistantId }) => String(assistantId));
      },
      change: (_, { value: { assistantId, shares } }) =>
        rooms.share(organizationId, assistantId, shares, tx).then(() => true),
    };
  }

  files({ organizationId, tx }: Ground, kept: ReadonlyMap<string, KeptFile>): FileLanding {
    const rooms = this.fileArrivals;
    const owners = [...new Set([...kept.values()].map(({ ownerId }) => ownerId))];
    const replaced: StandingFile[] = [];
    const used: KeptFile[] = [];
    const files = async () => rooms.standing(organizationId, owners, tx);
    const keyOf = ({ ownerId, name }: FileValue): string => `${ownerId} ${name}`;
    const bytesOf = ({ origin }: Arrival<FileValue>): KeptFile => {
      const file = kept.get(origin);
      if (file === undefined) throw new Error('A file has no bytes');
      return file;
    };
    return {
      kind: 'file',
      used,
      replaced,
      standing: async () =>
        new Map((await files()).map(({ id, ownerId, name, sha256 }) => [id, { ownerId, name, sha256 }])),
      taken: async () => (await files()).map((file) => ({ id: file.id, key: keyOf(file) })),
      keyOf,
      arrive: (arrivals) => {
        const bytes = arrivals.map(bytesOf);
        used.push(...bytes);
        return rooms.arrive(organizationId, bytes, tx);
      },
      change: async (id, arrival) => {
        const bytes = bytesOf(arrival);
        const old = (await files()).find((file) => file.id === id);
        if (old === undefined || !(await rooms.change(organizationId, old, bytes, tx))) return false;
        replaced.push(old);
        used.push(bytes);
        return true;
      },
    };
  }
}

const valuesOf = <T>(arrivals: readonly Arrival<T>[]): T[] => arrivals.map(({ value }) => value);
