import { AppError } from '@bellwether/kernel';
import type { OutboundRequest, OutboundResponse } from '../../../infrastructure/outbound';
import { callOnly } from '../../testing/function-call';
import { describeFunction } from '../../testing/function.conformance';
import { WeatherFunction } from './weather.function';

type Reply = (request: OutboundRequest) => OutboundResponse | Promise<OutboundResponse>;

const json = (body: unknown, status = 200): OutboundResponse => ({ status, headers: {}, text: JSON.stringify(body) });

const place = (name: string, country: string, rest: object = {}) => ({
  id: 1,
  name,
  country,
  latitude: 60.39,
  longitude: 5.32,
  ...rest,
});

const BERGEN = place('Bergen', 'Norway', { country_code: 'NO', admin1: 'Vestland' });
const BERGEN_DE = place('Bergen', 'Germany', { country_code: 'DE', admin1: 'Lower Saxony', latitude: 52.8 });

const FORECAST = {
  timezone: 'Europe/Oslo',
  current_units: { temperature_2m: '°C', wind_speed_10m: 'km/h', relative_humidity_2m: '%' },
  current: { time: '2026-04-06T14:30', temperature_2m: 7, weather_code: 61, wind_speed_10m: 12.3 },
  daily_units: { temperature_2m_max: '°C', temperature_2m_min: '°C', precipitation_probability_max: '%' },
  daily: {
    time: ['2026-04-06', '2026-04-07'],
    weather_code: [3, 999],
    temperature_2m_max: [9.1, null],
    temperature_2m_min: [3, 2],
    precipitation_probability_max: [80, 20],
  },
};

function scripted(places: unknown, forecast: unknown = FORECAST, apiUrl = 'http://weather.test') {
  const requests: OutboundRequest[] = [];
  const request = async (input: OutboundRequest): Promise<OutboundResponse> => {
    requests.push(input);
    const answer = input.url.includes('/v1/search') ? places : forecast;
    return typeof answer === 'function' ? (answer as Reply)(input) : json(answer);
  };
  return { requests, plugin: new WeatherFunction({ request }, { weather: { apiUrl } }) };
}

const found = async (city: string, results: readonly object[], args: object = {}) =>
  JSON.parse((await callOnly(scripted({ results }).plugin, { city, ...args })).content);

describeFunction('weather', {
  plugin: () => scripted({ results: [BERGEN] }).plugin,
  working: { units: 'imperial' },
  refused: [[{ units: 'kelvin' }, 'units']],
  incomplete: [],
});

describe('weather', () => {
  it('tells the weather and the forecast of the city, each figure with its unit', async () => {
    expect(await found('Bergen', [BERGEN, BERGEN_DE], { days: 2 })).toEqual({
      place: 'Bergen, Vestland, Norway',
      timezone: 'Europe/Oslo',
      observed_at: '2026-04-06T14:30',
      current: { condition: 'slight rain', temperature: '7 °C', wind: '12.3 km/h' },
      forecast: [
        {
          date: '2026-04-06',
          condition: 'overcast',
          highest: '9.1 °C',
          lowest: '3 °C',
          chance_of_precipitation: '80 %',
        },
        { date: '2026-04-07', lowest: '2 °C', chance_of_precipitation: '20 %' },
      ],
      other_places_of_this_name: ['Bergen, Lower Saxony, Germany'],
    });
  });

  it.each(['Bergen, Germany', 'bergen, DE', 'BERGEN,  lower saxony'])('takes the one meant by %j', async (city) => {
    expect((await found(city, [BERGEN, BERGEN_DE])).place).toBe('Bergen, Lower Saxony, Germany');
  });

  it.each([
    ['São Paulo', 'Sao Paulo'],
    ['REUS', 'Reus'],
    ['Saint-Denis', 'Saint Denis'],
  ])('reads %j as the city %j', async (city, name) => {
    expect((await found(city, [place(name, 'X')])).place).toBe(`${name}, X`);
  });

  it.each([
    ['nothing is found', 'Atlantis', []],
    ['only another city is found', 'Atlantis', [place('Atlanta', 'United States')]],
    ['the city is in another country', 'Bergen, France', [BERGEN, BERGEN_DE]],
    ['a longer name is found', 'Paris', [place('Parispark', 'Y')]],
    ['a place without coordinates is found', 'Paris', [{ name: 'Paris' }]],
    ['the name has no letters', '???', [place('???', 'Y')]],
  ])('is an error, and never another city, when %s', async (_, city, results) => {
    const { plugin, requests } = scripted({ results });
    await expect(callOnly(plugin, { city })).rejects.toMatchObject({
      code: 'tool.arguments_invalid',
      message: expect.stringContaining(`no city called "${city}" is known`),
    });
    expect(requests.filter(({ url }) => url.includes('/v1/forecast'))).toEqual([]);
  });

  it('reads an answer without any `results` as unknown', async () => {
    const { plugin } = scripted({ generationtime_ms: 0.1 });
    await expect(callOnly(plugin, { city: 'Nowhere' })).rejects.toMatchObject({ code: 'tool.arguments_invalid' });
  });

  it('reads the older answer with `current_weather`', async () => {
    const { plugin } = scripted(
      { results: [BERGEN] },
      {
        current_weather_units: { temperature: '°F' },
        current_weather: { time: '2025-08-28T01:30', temperature: 70.2, weathercode: 3 },
      },
    );
    expect(JSON.parse((await callOnly(plugin, { city: 'Bergen' })).content)).toMatchObject({
      current: { temperature: '70.2 °F', condition: 'overcast' },
      forecast: [],
    });
  });

  it.each<[string, unknown, string]>([
    ['is down', () => Promise.reject(new AppError('upstream_error', 'ECONNREFUSED 10.0.0.1')), 'cannot be reached'],
    ['is too slow', () => Promise.reject(new AppError('upstream_timeout', 'slow')), 'did not answer in time'],
    ['answers 503', () => json({ error: true, reason: 'internals' }, 503), 'status 503'],
    ['answers with an error', { error: true, reason: 'internals' }, 'cannot be read'],
    ['answers with a page', () => ({ status: 200, headers: {}, text: '<html>' }), 'cannot be read'],
    ['answers without a temperature', { current: { time: 'now' } }, 'cannot be read'],
  ])('fails clearly, and says nothing internal, when the service %s', async (_, forecast, message) => {
    const { plugin } = scripted({ results: [BERGEN] }, forecast);
    const failure = await callOnly(plugin, { city: 'Bergen' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ToolFailure', message: expect.stringContaining(message) });
    expect(String(failure)).not.toMatch(/internals|10\.0\.0\.1/);
  });

  it('ends with the run', async () => {
    const run = new AbortController();
    const { plugin } = scripted(
      () =>
        new Promise((_, reject) => {
          run.signal.addEventListener('abort', () => reject(new AppError('cancelled', 'cancelled')));
          run.abort();
        }),
    );
    await expect(callOnly(plugin, { city: 'Bergen' }, { signal: run.signal })).rejects.toMatchObject({
      code: 'tool.cancelled',
    });
  });

  it('asks for what the entry and the arguments say', async () => {
    const { plugin, requests } = scripted({ results: [place('München', 'Deutschland')] });
    await callOnly(plugin, { city: 'München', language: 'de', days: 7 }, { config: { units: 'imperial' } });
    const [search, forecast] = requests.map(({ url }) => new URL(url));
    expect(Object.fromEntries(search?.searchParams ?? [])).toMatchObject({ name: 'München', language: 'de' });
    expect(Object.fromEntries(forecast?.searchParams ?? [])).toMatchObject({
      latitude: '60.39',
      longitude: '5.32',
      forecast_days: '7',
      temperature_unit: 'fahrenheit',
      timezone: 'auto',
    });
    expect(requests.every(({ trusted, signal }) => trusted === true && signal !== undefined)).toBe(true);
  });

  it.each([
    ['https://api.open-meteo.com', 'https://geocoding-api.open-meteo.com'],
    ['https://customer-api.open-meteo.com', 'https://customer-geocoding-api.open-meteo.com'],
    ['http://127.0.0.1:9/mirror', 'http://127.0.0.1:9/mirror'],
  ])('asks %s for forecasts and %s for places', async (apiUrl, geocoding) => {
    const { plugin, requests } = scripted({ results: [BERGEN] }, FORECAST, apiUrl);
    await callOnly(plugin, { city: 'Bergen' });
    expect(requests.map(({ url }) => url.split('?')[0])).toEqual([`${geocoding}/v1/search`, `${apiUrl}/v1/forecast`]);
  });

  it.each([{}, { city: '' }, { city: 7 }, { city: 'x', days: 8 }, { city: 'x', url: 'http://evil' }])(
    'has a schema that refuses the arguments %j',
    async (args) => {
      await expect(callOnly(scripted({ results: [BERGEN] }).plugin, args)).rejects.toThrow('The arguments are refused');
    },
  );
});
