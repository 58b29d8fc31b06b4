import { type Caller, notFound } from '@bellwether/kernel';
import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { ADMINISTRATORS, Access, CurrentCaller } from '../../infrastructure/http';
import { SETTINGS_PARTS, type SettingsPart } from '../settings/settings.types';
import { OrganizationsService } from './organizations.service';

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug/:part')
export class OrganizationPartsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Get()
  @Header('Content-Type', 'application/json')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Read one part of the settings',
    description: `Parts: ${SETTINGS_PARTS.join(', ')}.`,
  })
  @ApiParam({ name: 'part', enum: SETTINGS_PARTS })
  @ApiOkResponse({
    description: 'The part, as in the organization',
    schema: {
      anyOf: SETTINGS_PARTS.map((part) => ({ $ref: `#/components/schemas/OrganizationDto/properties/${part}` })),
    },
  })
  async part(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('part') part: string,
  ): Promise<unknown> {
    const view = await this.organizations.view(caller, slug);
    if (!SETTINGS_PARTS.includes(part as SettingsPart)) throw notFound('Part of the organization');
    // Nest sends an empty body for null; JSON has a text for it.
    return view[part as SettingsPart] ?? 'null';
  }
}
