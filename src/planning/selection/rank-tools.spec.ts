import { profileOf, rankTools } from './rank-tools';
import { relevanceOf } from './relevance';
import { termsOf } from './words';

const TOOLS = [
  { name: 'HotelFinder', description: 'Books accommodation in cities.' },
  { name: 'weather_now', description: 'Tells the forecast for a place.' },
  { name: 'carparkavailability', description: 'Live data of the city.' },
  {
    name: 'triangle_area',
    description: 'Calculate the area of a triangle.',
    parameters: [
      { name: 'base', description: 'Its base', type: 'number', required: true },
      { name: 'height', description: 'Its height', type: 'number', required: true },
    ],
  },
];
const PROFILES = TOOLS.map(profileOf);
const best = (query: string): string | undefined => TOOLS[rankTools(query, PROFILES)[0]?.at ?? -1]?.name;

describe('ranking tools for a question', () => {
  it.each([
    ['Will it rain tomorrow?', 'weather_now'],
    ['I need a place to stay, a cheap hostel perhaps', 'HotelFinder'],
    ['Where can I find a carpark?', 'carparkavailability'],
    ['What is the area of a triangle with base 3 and height 4?', 'triangle_area'],
    ['¿Qué tiempo hace?', 'weather_now'],
  ])('%s', (query, name) => {
    expect(best(query)).toBe(name);
  });

  it('lets similarities of embeddings weigh where words say nothing', () => {
    expect(rankTools('qwerty', PROFILES, [0, 0, 0.9, 0.1])[0]?.at).toBe(2);
  });

  it('finds a question relevant that speaks of what the tool does and brings its numbers', () => {
    const triangle = TOOLS[3]!;
    const brings = relevanceOf('Calculate the area of a triangle with base 10 and height 5', triangle);
    const lacks = relevanceOf('Who calculated the area of a triangle first?', triangle);
    expect(brings).toBeGreaterThan(0.8);
    expect(lacks).toBeLessThan(brings - 0.1);
    expect(relevanceOf('Who was Napoleon?', triangle)).toBeLessThan(0.1);
  });

  it('reads words of names in any case and without accents', () => {
    expect(termsOf('getHTTPWeather_report2 Pròrroga').map(({ word }) => word)).toEqual([
      'get',
      'http',
      'weather',
      'report',
      'prorroga',
    ]);
  });
});
