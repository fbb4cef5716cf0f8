import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './price.js';

test('the total of nothing is nothing', () => assert.equal(total([]), 0));
test('prices add up', () => assert.equal(total([250, 199]), 449));
