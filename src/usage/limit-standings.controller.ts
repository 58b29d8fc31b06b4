import type { Caller } from '@bellwether/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ADMINISTRATORS, Access, CurrentCaller, PageQueryDto, toPageRequest } from '../infrastructure/http';
import { LimitStandingPageDto, MyLimitsDto } from './limit-standing.dto';
import { InOrganization, type OrganizationRequest } from '../organizations';
import { QuotaReportService } from './quota-report.service';

@ApiTags('Usage and limits')
@Controller('api/v1')
export class LimitStandingsController {
  constructor(private readonly quotas: QuotaReportService) {}

  @Get('organizations/:slug/usage/limits')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Limits and what is used of them now, nearest to their end first',
    description: 'Subjects that have used something in the current window; at most 1,000. Rules are in `limits`.',
  })
  all(@InOrganization() at: OrganizationRequest, @Query() page: PageQueryDto): Promise<LimitStandingPageDto> {
    return this.quotas.of(at.organizationId, toPageRequest(page));
  }

  @Get('me/limits')
  @Access({
    scope: 'read',
    summary: 'What I have left',
    description: 'Limits of the caller, their groups and their key, with what is used now. Unused limits are included.',
  })
  mine(@CurrentCaller() caller: Caller): Promise<MyLimitsDto> {
    return this.quotas.mine(caller);
  }
}
