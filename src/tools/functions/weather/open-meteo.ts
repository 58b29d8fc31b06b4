import { AppError, type JsonObject, isJsonObject } from '@bellwether/kernel';
import type { OutboundClient } from '../../../infrastructure/outbound';
import { ToolFailure } from '../../contract';

/** A place as a person writes it: its name and the areas around it (`Bergen, Norway`). */
interface WantedPlace {
  readonly name: string;
  readonly within: readonly string[];
}

/** Members of a geocoding answer that say where a place is. */
interface NamedPlace {
  readonly name: string;
  readonly country: string | null;
  readonly countryCode: string | null;
  /** Administrative areas, the largest first. */
  readonly areas: readonly string[];
}

const CODES: ReadonlyMap<string, string> = new Map([
  ['usa', 'us'],
  ['u s a', 'us'],
  ['united states of america', 'us'],
  ['uk', 'gb'],
  ['great britain', 'gb'],
]);

/** One spelling for comparing: no case, no accents, no punctuation. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** `Springfield, Illinois, USA` is a name and two areas around it. */
export function wantedPlace(text: string): WantedPlace {
  const [name = '', ...within] = text.split(',').map((part) => part.trim());
  return { name, within: within.filter((part) => part !== '') };
}

/** True when the place has exactly this name and lies in all the areas that were named. */
export function isPlace({ name, within }: WantedPlace, place: NamedPlace): boolean {
  if (folded(name) === '' || folded(place.name) !== folded(name)) return false;
  const around = new Set([place.country ?? '', place.countryCode ?? '', ...place.areas].map(folded));
  around.delete('');
  return within.map(folded).every((area) => around.has(area) || around.has(CODES.get(area) ?? area));
}

/** Open-Meteo documentation, "WMO Weather interpretation codes". */
const CONDITIONS: ReadonlyMap<number, string> = new Map([
  [0, 'clear sky'],
  [1, 'mainly clear'],
  [2, 'partly cloudy'],
  [3, 'overcast'],
  [45, 'fog'],
  [48, 'depositing rime fog'],
  [51, 'light drizzle'],
  [53, 'moderate drizzle'],
  [55, 'dense drizzle'],
  [56, 'light freezing drizzle'],
  [57, 'dense freezing drizzle'],
  [61, 'slight rain'],
  [63, 'moderate rain'],
  [65, 'heavy rain'],
  [66, 'light freezing rain'],
  [67, 'heavy freezing rain'],
  [71, 'slight snowfall'],
  [73, 'moderate snowfall'],
  [75, 'heavy snowfall'],
  [77, 'snow grains'],
  [80, 'slight rain showers'],
  [81, 'moderate rain showers'],
  [82, 'violent rain showers'],
  [85, 'slight snow showers'],
  [86, 'heavy snow showers'],
  [95, 'thunderstorm'],
  [96, 'thunderstorm with slight hail'],
  [99, 'thunderstorm with heavy hail'],
]);

const conditionOf = (code: unknown): string | null =>
  typeof code === 'number' ? (CONDITIONS.get(code) ?? null) : null;

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 256 * 1024;
const RESULTS = 10;

/** Open-Meteo's API hosts, whose geocoding has a separate host. Other servers answer both kinds of request. */
const VENDOR_HOST = /^(customer-)?api\.open-meteo\.com$/;

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'ru', 'tr', 'hi'] as const;
export type Language = (typeof LANGUAGES)[number];
export const UNITS = ['metric', 'imperial'] as const;
export type Units = (typeof UNITS)[number];

export interface Place extends NamedPlace {
  readonly latitude: number;
  readonly longitude: number;
}

/** Current weather and forecast as the vendor's numbers with their units. */
export interface Weather {
  readonly time: string | null;
  readonly timezone: string | null;
  readonly current: JsonObject;
  readonly days: readonly JsonObject[];
}

type Asked = Pick<OutboundClient, 'request'>;

/** Two GETs of Open-Meteo's API (open-meteo.com/en/docs, .../geocoding-api). Rejects with a `ToolFailure` that says what is wrong. */
export class OpenMeteo {
  private readonly geocoding: string;

  constructor(
    private readonly outbound: Asked,
    private readonly baseUrl: string,
  ) {
    const url = new URL(baseUrl);
    if (VENDOR_HOST.test(url.hostname)) url.hostname = url.hostname.replace(/api\./, 'geocoding-api.');
    this.geocoding = url.href.replace(/(?<!\/)\/+$/, '');
  }

  /** Places that the vendor finds for a name, best first; none when it finds none. */
  async places(name: string, language: Language, signal: AbortSignal): Promise<readonly Place[]> {
    const query = { name, count: String(RESULTS), language, format: 'json' };
    const { results = [] } = await this.get(`${this.geocoding}/v1/search`, query, signal);
    if (!Array.isArray(results)) throw unreadable();
    return results.flatMap((result: unknown) => placeOf(result) ?? []);
  }

  async weather({ latitude, longitude }: Place, days: number, units: Units, signal: AbortSignal): Promise<Weather> {
    const answer = await this.get(
      `${this.baseUrl}/v1/forecast`,
      {
        latitude: String(latitude),
        longitude: String(longitude),
        current: CURRENT.join(','),
        daily: DAILY.join(','),
        timezone: 'auto',
        forecast_days: String(days),
        ...(units === 'imperial' ? IMPERIAL : {}),
      },
      signal,
    );
    return weatherOf(answer, days);
  }

  private async get(url: string, query: Record<string, string>, signal: AbortSignal): Promise<JsonObject> {
    const { status, text } = await this.outbound
      .request({
        url: `${url}?${new URLSearchParams(query).toString()}`,
        headers: { accept: 'application/json' },
        signal,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        trusted: true,
      })
      .catch((error: unknown) => {
        throw outage(error);
      });
    const body = parsed(text);
    if (status !== 200) throw new ToolFailure('tool.failed', `the weather service answered with status ${status}`);
    if (body === null || body.error === true) throw unreadable();
    return body;
  }
}

const CURRENT = [
  'temperature_2m',
  'apparent_temperature',
  'relative_humidity_2m',
  'precipitation',
  'weather_code',
  'wind_speed_10m',
] as const;
const DAILY = ['weather_code', 'temperature_2m_max', 'temperature_2m_min', 'precipitation_probability_max'] as const;
const IMPERIAL = { temperature_unit: 'fahrenheit', wind_speed_unit: 'mph', precipitation_unit: 'inch' } as const;

const unreadable = (): ToolFailure =>
  new ToolFailure('tool.failed', 'the weather service gave an answer that cannot be read');

function outage(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'cancelled') return new ToolFailure('tool.cancelled', 'the call was cancelled');
  if (error.code === 'upstream_timeout')
    return new ToolFailure('tool.timeout', 'the weather service did not answer in time');
  return new ToolFailure('tool.failed', 'the weather service cannot be reached now');
}

function parsed(text: string): JsonObject | null {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}

const NAME_CHARS = 100;

const textIn = (value: unknown, most = NAME_CHARS): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, most).toWellFormed() : null;

const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

function placeOf(result: unknown): Place | null {
  if (!isJsonObject(result)) return null;
  const name = textIn(result.name);
  const latitude = numberIn(result.latitude);
  const longitude = numberIn(result.longitude);
  if (name === null || latitude === null || longitude === null) return null;
  const areas = [result.admin1, result.admin2, result.admin3, result.admin4].flatMap((area) => textIn(area) ?? []);
  return {
    name,
    latitude,
    longitude,
    areas,
    country: textIn(result.country),
    countryCode: textIn(result.country_code, 8),
  };
}

/** A figure with its unit, `13.1 °C`. */
function figure(values: JsonObject, units: unknown, name: string): string | null {
  const value = numberIn(values[name]);
  const unit = isJsonObject(units) ? (textIn(units[name], 12) ?? '') : '';
  return value === null ? null : `${value} ${unit}`.trim();
}

const present = (members: Record<string, string | null>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** Any member may be missing, except the current temperature. Older servers call the member `current_weather`. */
function weatherOf(answer: JsonObject, days: number): Weather {
  const [now, units] = isJsonObject(answer.current)
    ? [answer.current, answer.current_units]
    : [answer.current_weather, answer.current_weather_units];
  if (!isJsonObject(now)) throw unreadable();
  const temperature = figure(now, units, 'temperature_2m') ?? figure(now, units, 'temperature');
  if (temperature === null) throw unreadable();
  return {
    time: textIn(now.time, 40),
    timezone: textIn(answer.timezone, 60),
    current: present({
      condition: conditionOf(now.weather_code ?? now.weathercode),
      temperature,
      feels_like: figure(now, units, 'apparent_temperature'),
      humidity: figure(now, units, 'relative_humidity_2m'),
      precipitation: figure(now, units, 'precipitation'),
      wind: figure(now, units, 'wind_speed_10m') ?? figure(now, units, 'windspeed'),
    }),
    days: daysOf(answer.daily, answer.daily_units, days),
  };
}

function daysOf(daily: unknown, units: unknown, days: number): JsonObject[] {
  if (!isJsonObject(daily) || !Array.isArray(daily.time)) return [];
  return daily.time.slice(0, days).map((date: unknown, index) => {
    const values: JsonObject = Object.fromEntries(
      DAILY.map((name) => {
        const list = daily[name];
        return [name, Array.isArray(list) ? (list[index] as unknown) : null];
      }),
    );
    return present({
      date: textIn(date, 40),
      condition: conditionOf(values.weather_code),
      highest: figure(values, units, 'temperature_2m_max'),
      lowest: figure(values, units, 'temperature_2m_min'),
      chance_of_precipitation: figure(values, units, 'precipitation_probability_max'),
    });
  });
}
