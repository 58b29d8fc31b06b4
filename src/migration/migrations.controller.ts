import { type Caller, type Page, snakeCased } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  ADMINISTRATORS,
  Access,
  CurrentCaller,
  PageQueryDto,
  clientAbortSignal,
  toPageRequest,
} from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import type {
  Batch,
  BatchItem,
  MigrationPlan,
  OrganizationStatus,
  RollbackReport,
  VerifyReport,
} from './batches/batch.types';
import {
  BatchDetailDto,
  BatchDto,
  type BatchItemDto,
  type BatchItemPageDto,
  MigrationPlanDto,
  MigrationStatusDto,
  type OrganizationVersionsDto,
  type RollbackResultDto,
  RolledBackDto,
  type VerifyResultDto,
} from './batches/migration-answer.dto';
import { MigrationAdmin } from './migration-admin.service';
import { BatchItemsQueryDto, StartMigrationDto, StartRollbackDto } from './migration.dto';

/** A batch whose process ended unexpectedly is interrupted, whatever its row says. */
function stateOf({ state, lease, background }: Batch): string {
  return state === 'running' && lease === null && !background ? 'interrupted' : state;
}

/** Without the process id and host name, which are for operators. */
const leaseView = ({ holder, until }: NonNullable<Batch['lease']>): BatchDto['lease'] => ({
  holder: holder.label.replace(/ \(.*$/, ''),
  until: until.toISOString(),
});

export const rollbackView = (report: RollbackReport): RollbackResultDto => snakeCased(report);

export const verifyView = (report: VerifyReport): VerifyResultDto => snakeCased(report);

export function batchView(batch: Batch): BatchDto {
  const { background: _, forced: _forced, batchSize: _size, actor: _actor, ...shown } = batch;
  const { applyCursor: _apply, rollbackCursor: _rollback, lease, ...rest } = shown;
  return { ...snakeCased(rest), state: stateOf(batch), lease: lease === null ? null : leaseView(lease) };
}

export function itemView({ organizationId: _id, oldHash: _old, newHash: _new, ...item }: BatchItem): BatchItemDto {
  return snakeCased(item);
}

const itemsView = ({ items, ...page }: Page<BatchItem>): BatchItemPageDto => ({
  items: items.map(itemView),
  ...page,
});

export const organizationView = (status: OrganizationStatus): OrganizationVersionsDto => snakeCased(status);

export function planView({ organizationId: _, ...plan }: MigrationPlan): MigrationPlanDto {
  return { dry_run: true, ...snakeCased(plan) };
}

const PATH = 'api/v1/admin/migrations';
const LOCATION = { Location: { description: 'Path of the batch', schema: { type: 'string' } } } as const;

/** Migrates stored metadata, many assistants at a time. A batch out of the caller's reach is not found. */
@ApiTags('Migrations')
@ApiExtraModels(MigrationPlanDto, BatchDto, RolledBackDto)
@Controller(PATH)
export class MigrationsController {
  constructor(private readonly admin: MigrationAdmin) {}

  @Get()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Versions of the stored metadata, and batches',
    description: 'Of the caller’s organization; of every one for system administrators.',
  })
  async status(
    @CurrentCaller() caller: Caller,
    @Query() page: PageQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MigrationStatusDto> {
    const { organizations, batches } = await this.admin.status(
      caller,
      toPageRequest(page),
      clientAbortSignal(response),
    );
    return {
      organizations: organizations.map(organizationView),
      batches: { ...batches, items: batches.items.map(batchView) },
    };
  }

  @Post()
  @HttpCode(202)
  @Idempotent()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Migrate assistants',
    description:
      'Migrates stored metadata to a newer version where every prompt is proved to stay the same. Resumes an unfinished ' +
      'batch of the same scope. With `dry_run` nothing is written, and the answer (200) is the plan; a second dry run of ' +
      'the same organization at the same time is refused (409).',
  })
  @ApiOkResponse({ schema: { $ref: getSchemaPath(MigrationPlanDto) } })
  @ApiAcceptedResponse({ headers: LOCATION, schema: { $ref: getSchemaPath(BatchDto) } })
  async start(
    @CurrentCaller() caller: Caller,
    @Body() { dry_run, org, to }: StartMigrationDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MigrationPlanDto | BatchDto> {
    if (dry_run) {
      response.status(200);
      return planView(await this.admin.plan(caller, org, to, clientAbortSignal(response)));
    }
    const batch = await this.admin.apply(caller, org, to);
    response.setHeader('Location', `/${PATH}/${batch.id}`);
    return batchView(batch);
  }

  @Get(':batch')
  @Access({
    ...ADMINISTRATORS,
    summary: 'One batch: its progress, and the result of each assistant',
    description: 'Assistants that already had the version are counted and not listed.',
  })
  async batch(
    @CurrentCaller() caller: Caller,
    @Param('batch') id: string,
    @Query() query: BatchItemsQueryDto,
  ): Promise<BatchDetailDto> {
    const batch = await this.admin.batch(caller, id);
    const items = await this.admin.itemsOf(batch, query.status, toPageRequest(query));
    return { ...batchView(batch), items: itemsView(items) };
  }

  @Post(':batch/rollback')
  @HttpCode(202)
  @Idempotent()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Roll back a batch, or one assistant of it',
    description:
      'Restores metadata and template byte for byte, as a new version. Refused (409) with the assistants that were saved ' +
      'since, unless forced. A batch is rolled back in the background, one assistant before the answer (200).',
  })
  @ApiOkResponse({ schema: { $ref: getSchemaPath(RolledBackDto) } })
  @ApiAcceptedResponse({ headers: LOCATION, schema: { $ref: getSchemaPath(BatchDto) } })
  async rollBack(
    @CurrentCaller() caller: Caller,
    @Param('batch') id: string,
    @Body() { assistant_id, force }: StartRollbackDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BatchDto | RolledBackDto> {
    if (assistant_id !== undefined) {
      const report = await this.admin.rollBackOne(caller, id, assistant_id, force);
      response.status(200);
      return { batch: id, ...rollbackView(report) };
    }
    const batch = await this.admin.rollBack(caller, id, force);
    response.setHeader('Location', `/${PATH}/${batch.id}`);
    return batchView(batch);
  }

  @Post(':batch/verify')
  @HttpCode(202)
  @Idempotent()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Compare the documents of a batch with the stored ones, and repeat the proof',
    description: 'Runs in the background; the outcome is the batch’s `result`.',
  })
  @ApiAcceptedResponse({ headers: LOCATION, type: BatchDto })
  async verify(
    @CurrentCaller() caller: Caller,
    @Param('batch') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BatchDto> {
    const batch = await this.admin.verify(caller, id);
    response.setHeader('Location', `/${PATH}/${batch.id}`);
    return batchView(batch);
  }
}
