import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

@Injectable()
export class AskersRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Ids of people who may have asked an assistant of the organization. */
  async of(organizationId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT user_id AS id FROM members WHERE organization_id = $1
       UNION SELECT user_id FROM runs WHERE organization_id = $1`,
      [organizationId],
    );
    return rows.map(({ id }) => id);
  }
}
