import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../src/infrastructure/config';

/** The public address of the SCIM service. */
@Injectable()
export class ScimAddress {
  private readonly publicOrigin: string | null;

  constructor(@Inject(CONFIG) { http }: Pick<Config, 'http'>) {
    this.publicOrigin = http.publicUrl === null ? null : new URL(http.publicUrl).origin;
  }

  base(clientOrigin: string): string {
    return `${this.publicOrigin ?? clientOrigin}/scim/v2`;
  }
}
