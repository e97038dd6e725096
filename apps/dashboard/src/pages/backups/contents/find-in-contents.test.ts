import { expect, test } from 'bun:test';
import { type Branch, countChannels, findChannels, type Leaf } from './find-in-contents.ts';

const leaf = (name: string): Leaf => ({
  ...{ platformId: name, type: 'TEXT', name, topic: null, isPrivate: false, tags: [] },
  ...{ isAgeRestricted: false, slowModeSeconds: 0, bitrate: null, userLimit: null },
  ...{ overwrites: [], overwriteCounts: { roles: 0, members: 0 } },
});
const branch = (name: string, ...children: string[]): Branch => ({
  ...{ ...leaf(name), type: 'CATEGORY', children: children.map(leaf) },
});

const tree = [branch('Harbour', 'pier', 'lighthouse'), branch('Crew', 'Pierre')];

test('a search shows the channels that match, below their categories', () => {
  const found = findChannels(tree, ' PIER ');
  expect(found.map(({ name, children }) => [name, children.map((child) => child.name)])).toEqual([
    ['Harbour', ['pier']],
    ['Crew', ['Pierre']],
  ]);
});

test('a category that matches is shown whole', () => {
  expect(findChannels(tree, 'harbour').map(({ children }) => children.length)).toEqual([2]);
});

test('without a search everything is shown', () => {
  expect(countChannels(findChannels(tree, ' '))).toBe(5);
});
