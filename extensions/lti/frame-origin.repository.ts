import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations } from '../../src/infrastructure/database';

interface FrameRow {
  readonly issuer: string;
  readonly authorization: string;
  readonly page: string | null;
}

@Injectable()
export class FrameOriginRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** A page is asked for before its session is known. */
  @AcrossOrganizations('sign-in')
  async ofActivity(id: string): Promise<readonly string[]> {
    const rows = await this.dataSource.query<FrameRow[]>(
      `SELECT platform.issuer, platform.authorization_endpoint AS "authorization", activity.frame_origin AS page
         FROM lti_activities activity JOIN lti_platforms platform ON platform.id = activity.platform_id
         LEFT JOIN lti_bridges bridge ON bridge.id = platform.id
        WHERE activity.id = $1 AND coalesce(bridge.enabled, platform.active)`,
      [id],
    );
    const addresses = rows.flatMap(({ issuer, authorization, page }) => [issuer, authorization, page ?? '']);
    const sites = addresses.filter((address) => /^https?:/i.test(address) && URL.canParse(address));
    return [...new Set(sites.map((address) => new URL(address).origin))];
  }
}
