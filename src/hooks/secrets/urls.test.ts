import { expect, test } from 'vitest';
import { maskUrls } from './urls.ts';

test.each([
  ['redis://cache:6379/0?password=s3cret', 'redis://cache:6379/0?***'],
  ['amqp://host/vhost?auth=abc&heartbeat=10', 'amqp://host/vhost?***'],
  ['mongodb+srv://cluster.example/db?authSource=admin&token=abc', 'mongodb+srv://cluster.example/db?***'],
  ['jdbc:mysql://db:3306/app?user=me&password=pw', 'jdbc:mysql://db:3306/app?***'],
  ['ftp://host/file?sig=abc and more', 'ftp://host/file?*** and more'],
  ['myapp://callback?code=abc', 'myapp://callback?***'],
  ['"myapp:\\/\\/callback?code=abc"', '"myapp:\\/\\/callback?***"'],
  ['git+ssh://me:pw@host/repo?ref=main', 'git+ssh://***@host/repo?***'],
])('the query of %s is hidden, whatever its scheme', (text, expected) => expect(maskUrls(text)).toBe(expected));

test.each(['is it redis://cache:6379/0?', 'file:///etc/hosts', 'a ? b : c', 'std::string? yes'])(
  '%s has no query to hide',
  text => expect(maskUrls(text)).toBe(text),
);
