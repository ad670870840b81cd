/** Loaded before a gateway that has no setting for its address: whatever it listens on is then for this machine alone. */
const { Server } = require("node:net");

const listen = Server.prototype.listen;

Server.prototype.listen = function listenOnLoopback(first, ...rest) {
  if (typeof first === "object" && first !== null && "port" in first)
    return listen.call(this, { ...first, host: "127.0.0.1" }, ...rest);
  if (typeof first !== "number") return listen.call(this, first, ...rest);
  const others = rest.filter((value, index) => index > 0 || typeof value !== "string");
  return listen.call(this, first, "127.0.0.1", ...others);
};
