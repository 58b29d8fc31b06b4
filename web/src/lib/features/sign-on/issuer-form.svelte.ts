import { api, must } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { type Difference, differenceOf, same } from '$lib/kit/ui/differences';
import { VersionedForm } from '$lib/kit/ui/versioned-form.svelte';
import {
  changeOf,
  type Issuer,
  type IssuerChange,
  type IssuerValues,
  newIssuer,
  overwritesNothing,
  repeated,
  valuesOf,
} from './issuer-values';

const ISSUERS = '/api/v1/organizations/{slug}/sign-on/issuers';
const ISSUER = '/api/v1/organizations/{slug}/sign-on/issuers/{key}';
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return t(value ? 'conflict.on' : 'conflict.off');
  if (Array.isArray(value)) return value.join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, to]) => `${name} → ${String(to)}`)
    .join('\n');
}

/** The form of an OpenID provider of an organization. */
export class IssuerForm extends VersionedForm<Issuer, IssuerChange> {
  values = $state<IssuerValues>(newIssuer());
  readonly dirty = $derived.by(() => !this.gone && this.isChanged());
  readonly hasRepeated = $derived.by(() =>
    [this.values.roles, this.values.organizations, this.values.emailDomains].some((rows) => repeated(rows).size > 0),
  );
  readonly differences = $derived.by((): readonly Difference[] => this.differencesFrom(this.theirs));
  private gone = $state(false);
  /** Values of the request that is on its way. */
  private sent: IssuerValues = newIssuer();

  constructor(
    readonly slug: string,
    issuer: Issuer | null,
  ) {
    super();
    if (issuer !== null) this.show(issuer);
  }

  /** The issuer was removed: nothing is unsaved any more. */
  discard(): void {
    this.gone = true;
  }

  async remove(): Promise<void> {
    if (this.saved === null) return;
    const { key, version } = this.saved;
    await api.DELETE(ISSUER, { params: { path: { slug: this.slug, key }, header: ifMatch(version) } });
    this.discard();
  }

  private isChanged(): boolean {
    return this.saved === null
      ? !same(this.values, newIssuer())
      : Object.keys(changeOf(this.saved, this.values)).length > 0;
  }

  private differencesFrom(theirs: Issuer | null): readonly Difference[] {
    if (theirs === null) return [];
    const change = changeOf(this.saved, this.values);
    return Object.entries(change).flatMap(([name, mine]) => {
      if (name === 'client_secret') {
        const stored = theirs.client_secret_configured ? 'conflict.secret_theirs' : 'conflict.secret_none';
        return [differenceOf(name, t(stored), t(mine === null ? 'conflict.secret_none' : 'conflict.secret_new'))];
      }
      const other = theirs[name as keyof Issuer];
      return same(other, mine) ? [] : [differenceOf(name, textOf(other), textOf(mine))];
    });
  }

  protected body(): IssuerChange {
    this.sent = $state.snapshot(this.values) as IssuerValues;
    return changeOf(this.saved, this.sent);
  }

  protected async create(change: IssuerChange, idempotencyKey: string): Promise<Issuer> {
    const { name = '', issuer = '', client_id = '', ...rest } = change;
    const body = { ...rest, key: this.sent.key.trim(), name, issuer, client_id };
    const params = { path: { slug: this.slug }, header: { 'Idempotency-Key': idempotencyKey } };
    return must(await api.POST(ISSUERS, { params, body }));
  }

  protected async update({ key }: Issuer, version: number, body: IssuerChange): Promise<Issuer> {
    const params = { path: { slug: this.slug, key }, header: ifMatch(version) };
    return must(await api.PATCH(ISSUER, { params, body }));
  }

  protected async read({ key }: Issuer): Promise<Issuer> {
    return must(await api.GET(ISSUER, { params: { path: { slug: this.slug, key } } }));
  }

  protected losesNothing(base: Issuer, theirs: Issuer, change: IssuerChange): boolean {
    return overwritesNothing(base, theirs, change);
  }

  /** Shows the issuer as the service stored it, and keeps fields that changed during the request. */
  protected settle(issuer: Issuer): void {
    const now = $state.snapshot(this.values) as IssuerValues;
    const typed = Object.entries(now).filter(([name, value]) => !same(value, this.sent[name as keyof IssuerValues]));
    this.show(issuer);
    this.values = { ...this.values, ...(Object.fromEntries(typed) as Partial<IssuerValues>) };
  }

  protected show(issuer: Issuer): void {
    this.saved = issuer;
    this.values = valuesOf(issuer);
  }
}
