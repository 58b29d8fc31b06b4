import { Injectable } from '@nestjs/common';
import { FoundingService, OrganizationsService, type PriceSettings } from '../../organizations';
import { PriceList } from './price-list';

interface Priced {
  readonly isSystem: boolean;
  readonly prices: PriceSettings;
}

/** The price list of each organization, compiled once per change of its settings. */
@Injectable()
export class PriceLists {
  private readonly lists = new WeakMap<
    PriceSettings,
    { readonly inherited: PriceSettings; readonly list: PriceList }
  >();
  private systemId: string | null = null;

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly founding: FoundingService,
  ) {}

  async of({ isSystem, prices }: Priced): Promise<PriceList> {
    const inherited = isSystem ? prices : await this.installation();
    const known = this.lists.get(prices);
    if (known?.inherited === inherited) return known.list;
    const list = new PriceList(prices, isSystem ? {} : inherited);
    this.lists.set(prices, { inherited, list });
    return list;
  }

  /** Prices that system administrators gave the system organization. */
  private async installation(): Promise<PriceSettings> {
    this.systemId ??= await this.founding.systemId();
    return this.systemId === null ? {} : (await this.organizations.runtime(this.systemId)).prices;
  }
}
