import { api, idempotencyKey, must, type Schema } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';
import type { Me } from '$lib/app/session/session.svelte';

export type MigrationStatus = Schema<'MigrationStatusDto'>;
export type MigrationPlan = Schema<'MigrationPlanDto'>;
export type Batch = Schema<'BatchDto'>;
export type BatchDetail = Schema<'BatchDetailDto'>;
export type BatchItem = Schema<'BatchItemDto'>;
export type ItemStatus = BatchItem['status'];
export type RolledBack = Schema<'RolledBackDto'>;
export type Difference = Schema<'MigrationDifferenceDto'>;

/** Organization that is migrated, by its slug; every one of the reader's without it. */
export interface Scope {
  readonly org: string | null;
  readonly to: 2 | 3;
}

const PAGE = 30;
const body = ({ org, to }: Scope, dry_run: boolean): Schema<'StartMigrationDto'> => ({
  to,
  dry_run,
  ...(org === null ? {} : { org }),
});

export async function readStatus(cursor?: string): Promise<MigrationStatus> {
  const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return must(await api.GET('/api/v1/admin/migrations', { params: { query } }));
}

export async function planMigration(scope: Scope, signal: AbortSignal): Promise<MigrationPlan> {
  return must(await api.POST('/api/v1/admin/migrations', { body: body(scope, true), signal })) as MigrationPlan;
}

export async function startMigration(scope: Scope): Promise<Batch> {
  const params = { header: { 'Idempotency-Key': idempotencyKey() } };
  return must(await api.POST('/api/v1/admin/migrations', { params, body: body(scope, false) })) as Batch;
}

export async function readBatch(id: string, status: ItemStatus | null, cursor?: string): Promise<BatchDetail> {
  return must(
    await api.GET('/api/v1/admin/migrations/{batch}', {
      params: {
        path: { batch: id },
        query: {
          limit: PAGE,
          ...(status === null ? {} : { status }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      },
    }),
  );
}

export async function startVerification(id: string): Promise<Batch> {
  const params = { path: { batch: id }, header: { 'Idempotency-Key': idempotencyKey() } };
  return must(await api.POST('/api/v1/admin/migrations/{batch}/verify', { params }));
}

/** The batch, which goes back in the background; or what became of the one assistant. */
export async function startRollback(
  id: string,
  assistantId: number | null,
  force: boolean,
): Promise<Batch | RolledBack> {
  return must(
    await api.POST('/api/v1/admin/migrations/{batch}/rollback', {
      params: { path: { batch: id }, header: { 'Idempotency-Key': idempotencyKey() } },
      body: { force, ...(assistantId === null ? {} : { assistant_id: assistantId }) },
    }),
  );
}

/** The choice that a batch was started with: it goes on when the same one is started again. */
export async function scopeOf({ organization_id: id, to }: Batch, me: Me): Promise<Scope> {
  const target = to === 2 ? 2 : 3;
  if (id === null) return { org: null, to: target };
  if (id === me.organization.id) return { org: me.organization.slug, to: target };
  const all = await allOf(async (query) => must(await api.GET('/api/v1/organizations', { params: { query } })));
  return { org: all.find((each) => each.id === id)?.slug ?? null, to: target };
}
