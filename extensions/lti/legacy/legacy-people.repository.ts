import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TableImport, type Transaction } from '../../../src/infrastructure/database';
import type { KeyKind } from './bridge.types';
import { type LegacyEntry, LegacyPersonEntity } from './legacy-person.entity';

export type ImportedPerson = Omit<LegacyPersonEntity, 'id' | 'organizationId'>;

/** Imports people whom another installation knew by LTI 1.1. */
@Injectable()
export class LegacyPersonImport extends TableImport<LegacyPersonEntity, ImportedPerson> {
  /** Earlier imports stored fingerprints of values that call the entry `door`. */
  readonly compared = ({ entry, ...value }: ImportedPerson) => ({ ...value, door: entry });

  constructor() {
    super({
      entity: LegacyPersonEntity,
      idColumn: 'id',
      keyColumns: ['entry', 'legacyUserId'],
      toRow: (value) => ({ ...value }),
      toValue: ({ entry, legacyUserId, email, userId }) => ({ entry, legacyUserId, email, userId }),
    });
  }
}

interface Arrival {
  readonly organizationId: string;
  readonly kind: KeyKind;
  readonly userId: string;
  readonly email: string | null;
  readonly isInstructor: boolean;
}

/** A teacher is known in courses too, an account that was linked in a course is no sign-in for work. */
const WAYS_IN: Readonly<Record<KeyKind, readonly LegacyEntry[]>> = {
  activity: ['activity', 'creator'],
  assistant: ['activity', 'creator'],
  creator: ['creator'],
};

@Injectable()
export class LegacyPeople {
  /** Ids of the members who were this person; the first counts. */
  async of({ organizationId, kind, userId, email, isInstructor }: Arrival, tx: Transaction): Promise<string[]> {
    const found = await tx.getRepository(LegacyPersonEntity).findBy({
      organizationId,
      legacyUserId: userId,
      entry: In([...WAYS_IN[kind]]),
    });
    // Several course platforms may have shared a key, and number their people alike.
    const isMeant = ({ entry, email: known }: LegacyPersonEntity): boolean =>
      entry === 'creator' ? isInstructor : known === null || email === null || known === email;
    const meant = found.filter(isMeant).sort((one, other) => one.entry.localeCompare(other.entry));
    return meant.map((person) => person.userId);
  }
}
