import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/tables.css";
import "./styles/keys.css";
import { render } from "preact";
import { Console } from "./console.js";
import { keepSessionAlive } from "./session/keep-alive.js";
import { refreshSession } from "./session/session.js";

const root = document.getElementById("console");
if (root === null) throw new Error("index.html has the element #console");
void refreshSession();
keepSessionAlive();
render(<Console />, root);
