import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Role } from '../kernel';
import type { Transaction } from '../platform/database';
import { MemberEntity } from './member.entity';
import { UserEntity } from './user.entity';

/** Rows of one statement. */
const BATCH = 500;

/** A membership that comes from elsewhere. */
export interface ArrivingMember {
  /** The person's; who had no account before gets one with this id. */
  readonly userId: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly disabled: boolean;
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}

/** People and memberships, many at once. */
@Injectable()
export class MemberArrivalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Ids by lower-case address. */
  async people(emails: readonly string[], tx?: Transaction): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const users = (tx ?? this.dataSource.manager).getRepository(UserEntity);
    for (const batch of batches(emails)) {
      for (const { email, id } of await users.findBy({ email: In([...batch]) })) found.set(email, id);
    }
    return found;
  }

  /** Addresses by id. */
  async addresses(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const users = this.dataSource.getRepository(UserEntity);
    for (const batch of batches(ids)) {
      for (const { email, id } of await users.findBy({ id: In([...batch]) })) found.set(id, email);
    }
    return found;
  }

  /** Whoever has an account already keeps it. */
  async insertPeople(people: readonly { id: string; email: string }[], tx: Transaction): Promise<void> {
    for (const batch of batches(people)) {
      const values = batch.map(({ id, email }) => ({ id, email, systemAdmin: false }));
      await tx.getRepository(UserEntity).createQueryBuilder().insert().values(values).orIgnore().execute();
    }
  }

  /** Every member of the organization. */
  async members(organizationId: string, tx: Transaction): Promise<ArrivingMember[]> {
    return tx
      .getRepository(MemberEntity)
      .createQueryBuilder('member')
      .innerJoin(UserEntity, 'person', 'person.id = member.user_id')
      .select('member.user_id', 'userId')
      .addSelect('person.email', 'email')
      .addSelect('member.name', 'name')
      .addSelect('member.role', 'role')
      .addSelect('member.disabled', 'disabled')
      .where('member.organization_id = :organizationId', { organizationId })
      .getRawMany<ArrivingMember>();
  }

  async insertMembers(organizationId: string, members: readonly ArrivingMember[], tx: Transaction): Promise<void> {
    for (const batch of batches(members)) {
      await tx
        .getRepository(MemberEntity)
        .insert(batch.map(({ userId, name, role, disabled }) => ({ organizationId, userId, name, role, disabled })));
    }
  }
}
