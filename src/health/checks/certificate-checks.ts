import { type Finding, finding } from '../../infrastructure/findings';
import type { CertificateState } from '../../infrastructure/outbound';

const DAY_MS = 86_400_000;
/** Programs that renew by themselves have done so long before. */
const SOON_DAYS = 14;
const NOW_DAYS = 3;

export interface ShownCertificate {
  readonly host: string;
  readonly certificate: CertificateState;
}

interface Lasting {
  readonly host: string;
  readonly until: Date;
  readonly days: number;
}

/** One finding for each certificate that needs somebody, and one for all that hold. */
export function checkCertificates(shown: readonly ShownCertificate[], now: Date): readonly Finding[] {
  const broken = shown.flatMap(({ host, certificate }) => {
    if (certificate.state === 'refused') return [finding('certificate.refused', { host, reason: certificate.reason })];
    return certificate.state === 'unreachable' ? [finding('certificate.unreachable', { host })] : [];
  });
  const lasting = shown
    .flatMap(({ host, certificate }): Lasting[] => {
      if (certificate.state !== 'valid') return [];
      const { until } = certificate;
      return [{ host, until, days: Math.floor((until.getTime() - now.getTime()) / DAY_MS) }];
    })
    .sort((one, other) => one.days - other.days);
  return [...broken, ...lasting.filter(({ days }) => days < SOON_DAYS).map(endingOf), ...holdingOf(lasting)];
}

function endingOf({ host, until, days }: Lasting): Finding {
  const date = until.toISOString().slice(0, 10);
  return days < NOW_DAYS
    ? finding('certificate.now', { host, date })
    : finding('certificate.soon', { host, days, date });
}

function holdingOf(lasting: readonly Lasting[]): readonly Finding[] {
  const holding = lasting.filter(({ days }) => days >= SOON_DAYS);
  const [first] = holding;
  return first === undefined
    ? []
    : [finding('certificate.ok', { count: holding.length, host: first.host, days: first.days })];
}
