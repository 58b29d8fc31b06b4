import { Controller, Get, Logger, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VectorStore } from '../knowledge-bases';
import { DatabaseHealth } from '../infrastructure/database';
import { Public } from '../infrastructure/http';
import { JobQueue } from '../infrastructure/jobs';
import { SecretsService } from '../infrastructure/secrets';
import { LivenessDto, ReadinessDto } from './health-report.dto';
import { Signals } from '../infrastructure/signals';
import { Lifecycle } from './lifecycle.service';

@ApiTags('Health')
@Controller('health')
export class HealthController {
  private readonly logger = new Logger('Health');
  private wasReady = true;

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly database: DatabaseHealth,
    private readonly secrets: SecretsService,
    private readonly vectors: VectorStore,
    private readonly jobs: JobQueue,
    private readonly signals: Signals,
  ) {}

  @Get('live')
  @Public('Is the process alive?')
  live(): LivenessDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public('Can it serve? 503 while it starts, drains, cannot reach the database or sees a schema of another build.')
  @ApiResponse({ status: 503, type: ReadinessDto, description: 'It cannot serve now' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadinessDto> {
    const process = this.lifecycle.phase === 'serving' ? 'ok' : this.lifecycle.phase;
    const database = await this.database.check();
    const ready = process === 'ok' && database === 'ok';
    response.status(ready ? 200 : 503).setHeader('Cache-Control', 'no-store');
    // Probes come every few seconds: a line tells the change, none the answer.
    if (!ready) response.setHeader('Retry-After', '1');
    if (ready !== this.wasReady)
      this.logger[ready ? 'log' : 'warn']({ msg: ready ? 'ready' : 'not ready', process, database });
    this.wasReady = ready;
    // Searches fall back to words: reported, and the service stays ready.
    const vectors = this.vectors.unavailable ?? 'ok';
    return {
      status: ready ? 'ready' : 'not_ready',
      checks: {
        process,
        database,
        storage: this.database.storage,
        // Reported only: requests work without them, and both recover.
        jobs: this.jobs.state,
        signals: this.signals.state,
        secrets: database === 'ok' ? await this.secretsState() : 'unknown',
        vectors,
      },
    };
  }

  /** Affects only organizations whose key is missing, so the service stays ready. */
  private async secretsState(): Promise<string> {
    try {
      const { available } = await this.secrets.status();
      return available ? 'ok' : 'a key of SECRETS_KEY is missing';
    } catch {
      return 'unknown';
    }
  }
}
