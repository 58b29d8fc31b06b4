import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { finding } from '../infrastructure/findings';
import { Access } from '../infrastructure/http';
import { HealthReportDto } from './health-report.dto';
import { HealthReport } from './health-report.service';

const EXAMPLE = {
  state: 'error',
  checked_at: '2026-11-26T08:00:00.000Z',
  findings: [
    finding('connection.key', { connection: 'providers.openai' }, 'physics'),
    finding('clock.off', { seconds: 4 }),
    finding('database.ok', { version: '15.18', ms: 1, megabytes: 412 }),
  ],
};

@ApiTags('Health')
@Controller('api/v1/admin/health')
export class HealthReportController {
  constructor(private readonly report: HealthReport) {}

  @Get()
  @Access({
    scope: 'admin',
    role: 'system_admin',
    summary: 'What is wrong with the installation, and what to do',
    description:
      'Checks database, queues, disk, clock, versions, vendors, certificates, secrets, and the process that answers. ' +
      'The answer is at most five seconds old. A check that fails or hangs is the finding `check.failed`.',
  })
  @ApiOkResponse({ type: HealthReportDto, example: EXAMPLE })
  async latest(): Promise<HealthReportDto> {
    const { state, checkedAt, findings } = await this.report.latest();
    return {
      state,
      checked_at: checkedAt.toISOString(),
      findings: findings.map((each) => ({ ...each, values: { ...each.values } })),
    };
  }
}
