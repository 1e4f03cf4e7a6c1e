# Replaces the emulator of Lambda's runtime: accepts invocations, and passes them to the runtime that polls for them.
import http.server, queue, sys, time, uuid

calls, waiting = queue.Queue(), {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, **fields):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        call, body = calls.get()
        self.answer(
            body,
            Lambda_Runtime_Aws_Request_Id=call,
            Lambda_Runtime_Deadline_Ms=str(int(time.time() * 1000) + 60_000),
            Lambda_Runtime_Invoked_Function_Arn="arn:aws:lambda:us-east-1:123456789012:function:handler",
        )

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/invocations"):
            call, result = str(uuid.uuid4()), queue.Queue()
            waiting[call] = result
            calls.put((call, body))
            self.answer(result.get())
        else:
            self.answer(b"")
            waiting.pop(self.path.split("/")[-2]).put(body)


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
