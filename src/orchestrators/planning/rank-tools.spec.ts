import { chooseTools, rankTools, relevanceOf } from './choose-tools';
import { profileOf, termsOf } from './tool-profile';

const TOOLS = [
  {
    name: 'HotelFinder',
    description: 'Books accommodation in cities.',
    examples: ['I need a place to stay', 'Is there a cheap hostel near the station?'],
  },
  {
    name: 'weather_now',
    description: 'Tells the forecast for a place.',
    translations: [{ name: 'El tiempo', description: 'Dice qué tiempo hace en un lugar.' }],
    examples: ['Will it rain on Sunday?'],
  },
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

  it('matches words that begin alike', () => {
    expect(best('Which accommodating city is there?')).toBe('HotelFinder');
  });

  it('chooses together what a question of two parts needs, and one tool where one is enough', () => {
    const chosen = (query: string) => chooseTools(query, PROFILES).map((at) => TOOLS[at]?.name);
    expect(chosen('Book accommodation, and what is the area of the triangle?')).toEqual(
      expect.arrayContaining(['HotelFinder', 'triangle_area']),
    );
    expect(chosen('Will it rain?')).toEqual(['weather_now']);
  });

  it('counts a further tool less by the words of those before it', () => {
    const same = ['one', 'two'].map((name) => profileOf({ name, description: 'Moon phases' }));
    const tides = profileOf({ name: 'three', description: 'Moon and tides' });
    expect(chooseTools('Which moon phases bring tides?', [...same, tides], { exactly: 2 }).sort()).toEqual([0, 2]);
  });

  it('finds a question relevant that is like an example', () => {
    expect(relevanceOf('Do you know a cheap hostel?', TOOLS[0]!)).toBeGreaterThan(0.3);
    expect(relevanceOf('Who was Napoleon?', TOOLS[0]!)).toBeLessThan(0.1);
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
