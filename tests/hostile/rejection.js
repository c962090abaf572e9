// story: a promise is rejected in the middle of the game and nobody catches it
// row: protocol: exception mid game
// expect: crashed
// hint: must live until `end`
const lines = require("readline").createInterface({ input: process.stdin });
let acts = 0;
setTimeout(() => process.exit(), 50000).unref();
lines.on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log('{"type":"ready","protocol":1,"name":"node"}');
  if (message.type === "act") {
    if (++acts === 3) throw new Error("no such card");
    console.log(JSON.stringify({ id: message.id, action: message.legal[0] }));
  }
  if (message.type === "end") process.exit();
});
